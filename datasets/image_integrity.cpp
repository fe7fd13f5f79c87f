#include "datasets/image_integrity.h"

#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>

#include "core/index.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using Bytes = std::vector<unsigned char>;

constexpr size_t kPngSignature = 8;

[[noreturn]] void refuse_file_of_image(const std::string& what) { throw Error(ErrorCode::InvalidData, what); }

bool begins(const Bytes& bytes, std::string_view magic, size_t at = 0) {
  return bytes.size() >= at + magic.size() && std::memcmp(bytes.data() + at, magic.data(), magic.size()) == 0;
}

uint32_t big32(const Bytes& bytes, size_t at) {
  return static_cast<uint32_t>(bytes[at]) << 24 | static_cast<uint32_t>(bytes[at + 1]) << 16 |
         static_cast<uint32_t>(bytes[at + 2]) << 8 | bytes[at + 3];
}

uint32_t little(const Bytes& bytes, size_t at, size_t count) {
  uint32_t value = 0;
  for (size_t i = count; i-- > 0;) value = value << 8 | bytes[at + i];
  return value;
}

void check_jpeg(const Bytes& bytes) {
  constexpr const char* kTruncated = "the JPEG image is truncated: its end marker is missing";
  size_t at = 2;
  while (true) {
    // Next marker: FF and a code that is neither stuffing (00) nor fill (FF). Restart markers stand inside a scan.
    while (at + 1 < bytes.size() && !(bytes[at] == 0xff && bytes[at + 1] != 0x00 && bytes[at + 1] != 0xff)) ++at;
    if (at + 1 >= bytes.size()) refuse_file_of_image(kTruncated);
    const unsigned char code = bytes[at + 1];
    at += 2;
    if (code == 0xd9) return;
    if (code == 0x01 || (code >= 0xd0 && code <= 0xd8)) continue;  // markers without a length
    if (at + 2 > bytes.size()) refuse_file_of_image(kTruncated);
    at += as_index(bytes[at]) << 8 | bytes[at + 1];
  }
}

/// Calls `visit(type, begin, end)` for each chunk up to the end chunk, begin and end spanning the whole chunk.
void walk_png(const Bytes& bytes, const std::function<void(std::string_view, size_t, size_t)>& visit) {
  constexpr size_t kOverhead = 12;  // length, type, checksum
  for (size_t at = kPngSignature;;) {
    const size_t left = bytes.size() - at;
    if (left < kOverhead || left - kOverhead < big32(bytes, at))
      refuse_file_of_image("the PNG image is truncated: its end chunk is missing");
    const size_t end = at + kOverhead + big32(bytes, at);
    const std::string_view type(reinterpret_cast<const char*>(&bytes[at + 4]), 4);
    visit(type, at, end);
    if (type == "IEND") return;
    at = end;
  }
}

bool is_essential(std::string_view type) {
  static constexpr std::string_view kTypes[] = {"IHDR", "PLTE", "tRNS", "IDAT", "IEND", "eXIf"};
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

void check_png(const Bytes& bytes) {
  walk_png(bytes, [&](std::string_view type, size_t begin, size_t end) {
    if (!is_essential(type)) return;
    const uLong checksum = crc32(0, &bytes[begin + 4], static_cast<uInt>(end - begin - 8));
    if (checksum != big32(bytes, end - 4)) refuse_file_of_image("the PNG image is damaged: a checksum is wrong");
  });
}

void check_webp(const Bytes& bytes) {
  if (bytes.size() < uint64_t{little(bytes, 4, 4)} + 8) refuse_file_of_image("the WebP image is truncated");
  constexpr size_t kFlags = 20;
  constexpr unsigned char kAnimated = 0x02;
  if (begins(bytes, "VP8X", 12) && bytes.size() > kFlags && (bytes[kFlags] & kAnimated) != 0)
    refuse_file_of_image("the WebP image is animated: a sample is one picture; save the frames as single images");
}

void check_bmp(const Bytes& bytes) {
  constexpr const char* kTruncated = "the BMP image is truncated";
  if (bytes.size() < 26) refuse_file_of_image(kTruncated);
  const bool old = little(bytes, 14, 4) == 12;  // OS/2 header: 16-bit sizes
  if (!old && bytes.size() < 54) refuse_file_of_image(kTruncated);
  const auto side = [](uint32_t value) {
    return static_cast<uint64_t>(std::abs(int64_t{static_cast<int32_t>(value)}));
  };
  const uint64_t width = old ? little(bytes, 18, 2) : side(little(bytes, 18, 4));
  const uint64_t height = old ? little(bytes, 20, 2) : side(little(bytes, 22, 4));
  const uint64_t bits = old ? little(bytes, 24, 2) : little(bytes, 28, 2);
  const uint32_t compression = old ? 0 : little(bytes, 30, 4);
  if (compression != 0 && compression != 3) return;  // run lengths: no length to compare with
  const uint64_t row = (width * bits + 31) / 32 * 4;
  if (row != 0 && height > (uint64_t{1} << 40) / row) refuse_file_of_image("the BMP image has an impossible size");
  if (bytes.size() < little(bytes, 10, 4) + row * height) refuse_file_of_image(kTruncated);
}

/// The next number of a PNM header, behind blanks and comments; 0 when there is none.
uint64_t pnm_number(const Bytes& bytes, size_t& at) {
  while (at < bytes.size() && (std::isspace(bytes[at]) != 0 || bytes[at] == '#')) {
    if (bytes[at] == '#')
      while (at < bytes.size() && bytes[at] != '\n') ++at;
    else
      ++at;
  }
  uint64_t value = 0;
  for (; at < bytes.size() && std::isdigit(bytes[at]) != 0 && value < (1U << 20); ++at)
    value = value * 10 + bytes[at] - '0';
  return value;
}

void check_pnm(const Bytes& bytes) {
  const unsigned char kind = bytes[1];
  if (kind < '4') return;  // numbers as text
  size_t at = 2;
  const uint64_t width = pnm_number(bytes, at);
  const uint64_t height = pnm_number(bytes, at);
  const uint64_t highest = kind == '4' ? 1 : pnm_number(bytes, at);
  const uint64_t row = kind == '4' ? (width + 7) / 8 : width * (kind == '6' ? 3 : 1) * (highest > 255 ? 2 : 1);
  if (width == 0 || height == 0 || highest == 0) refuse_file_of_image("the PNM image has no valid header");
  if (bytes.size() < at + 1 + row * height) refuse_file_of_image("the PNM image is truncated");
}

ImageFormat format_of(const Bytes& bytes) {
  if (begins(bytes, "\xff\xd8\xff")) return ImageFormat::Jpeg;
  if (begins(bytes, "\x89PNG\r\n\x1a\n")) return ImageFormat::Png;
  if (begins(bytes, "RIFF") && begins(bytes, "WEBP", 8)) return ImageFormat::WebP;
  if (begins(bytes, "BM")) return ImageFormat::Bmp;
  if (begins(bytes, "II*") || begins(bytes, std::string_view("MM\0*", 4))) return ImageFormat::Tiff;
  if (bytes.size() > 2 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6' && std::isspace(bytes[2]) != 0)
    return ImageFormat::Pnm;
  return ImageFormat::Unknown;
}

}  // namespace

ImageFormat check_image_complete(const Bytes& bytes) {
  const ImageFormat format = format_of(bytes);
  switch (format) {
    case ImageFormat::Jpeg: check_jpeg(bytes); break;
    case ImageFormat::Png: check_png(bytes); break;
    case ImageFormat::WebP: check_webp(bytes); break;
    case ImageFormat::Bmp: check_bmp(bytes); break;
    case ImageFormat::Pnm: check_pnm(bytes); break;
    case ImageFormat::Tiff:
    case ImageFormat::Unknown: break;
  }
  return format;
}

Bytes essential_png(const Bytes& bytes) {
  Bytes kept(bytes.begin(), bytes.begin() + kPngSignature);
  walk_png(bytes, [&](std::string_view type, size_t begin, size_t end) {
    if (is_essential(type)) kept.insert(kept.end(), bytes.begin() + as_extent(begin), bytes.begin() + as_extent(end));
  });
  return kept;
}

}  // namespace detent
