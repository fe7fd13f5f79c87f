#include "datasets/image_integrity.h"

#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>

#include "core/index.h"
#include "core/memory_limit.h"
#include "datasets/file_numbers.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using Bytes = std::vector<unsigned char>;
using Numbers = FileNumbers;

constexpr size_t kPngSignature = 8;

[[noreturn]] void refuse_file_of_image(const std::string& what) { throw Error(ErrorCode::InvalidData, what); }

void check_jpeg(const Bytes& bytes) {
  constexpr const char* kTruncated = "the JPEG image is truncated: its end marker is missing";
  size_t at = 2;
  while (true) {
    // Next marker: FF and a code that is neither stuffing (00) nor fill (FF). Restart markers are inside a scan.
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

/// Calls `visit(type, begin, end)` for each chunk up to the end chunk; begin and end span the whole chunk.
void walk_png(const Bytes& bytes, const std::function<void(std::string_view, size_t, size_t)>& visit) {
  const Numbers in(bytes, false);
  constexpr size_t kOverhead = 12;  // length, type, checksum
  for (size_t at = kPngSignature;;) {
    const size_t left = bytes.size() - at, content = in.at(at, 4);
    if (left < kOverhead || left - kOverhead < content)
      refuse_file_of_image("the PNG image is truncated: its end chunk is missing");
    const size_t end = at + kOverhead + content;
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
    if (checksum != Numbers(bytes, false).at(end - 4, 4))
      refuse_file_of_image("the PNG image is damaged: a checksum is wrong");
  });
}

void check_webp(const Numbers& in) {
  if (in.size() < in.at(4, 4) + 8) refuse_file_of_image("the WebP image is truncated");
  constexpr uint64_t kFlags = 20;
  constexpr unsigned char kAnimated = 0x02;
  if (in.has("VP8X", 12) && (in.byte(kFlags) & kAnimated) != 0)
    refuse_file_of_image("the WebP image is animated: a sample is one picture; save the frames as single images");
}

/// The header of a BMP; that of OS/2 has 16-bit sizes.
struct BmpHeader {
  bool old;
  ImageSize size;
  explicit BmpHeader(const Numbers& in) : old(in.at(14, 4) == 12) {
    const auto side = [&](uint64_t offset) {
      return static_cast<uint64_t>(std::abs(int64_t{static_cast<int32_t>(in.at(offset, 4))}));
    };
    size = old ? ImageSize{in.at(18, 2), in.at(20, 2)} : ImageSize{side(18), side(22)};
  }
};

void check_bmp(const Numbers& in) {
  constexpr const char* kTruncated = "the BMP image is truncated";
  const BmpHeader header(in);
  if (in.size() < (header.old ? 26U : 54U)) refuse_file_of_image(kTruncated);
  const uint64_t bits = in.at(header.old ? 24 : 28, 2), compression = header.old ? 0 : in.at(30, 4);
  if (compression != 0 && compression != 3) return;  // run lengths: no length to compare
  const uint64_t row = (header.size.width * bits + 31) / 32 * 4;
  if (row != 0 && header.size.height > (uint64_t{1} << 40) / row)
    refuse_file_of_image("the BMP image has an impossible size");
  if (in.size() < in.at(10, 4) + row * header.size.height) refuse_file_of_image(kTruncated);
}

/// The numbers of a PNM header, 0 for missing ones, and the place behind them.
struct PnmHeader {
  unsigned char kind;
  uint64_t end = 2, width, height, highest;
  explicit PnmHeader(const Numbers& in)
      : kind(in.byte(1)), width(take(in)), height(take(in)), highest(kind == '1' || kind == '4' ? 1 : take(in)) {}

 private:
  /// Returns the next number, behind blanks and comments.
  uint64_t take(const Numbers& in) {
    for (; end < in.size() && (std::isspace(in.byte(end)) != 0 || in.byte(end) == '#'); ++end)
      if (in.byte(end) == '#')
        while (end < in.size() && in.byte(end) != '\n') ++end;
    uint64_t value = 0;
    for (; std::isdigit(in.byte(end)) != 0; ++end)
      value = std::min<uint64_t>(UINT32_MAX, value * 10 + in.byte(end) - '0');
    return value;
  }
};

void check_pnm(const Numbers& in) {
  const PnmHeader header(in);
  if (header.kind < '4') return;  // numbers as text
  const uint64_t row = header.kind == '4'
                           ? (header.width + 7) / 8
                           : header.width * (header.kind == '6' ? 3 : 1) * (header.highest > 255 ? 2 : 1);
  if (header.width == 0 || header.height == 0 || header.highest == 0)
    refuse_file_of_image("the PNM image has no valid header");
  uint64_t pixels = 0;
  if (__builtin_mul_overflow(row, header.height, &pixels) || in.size() < header.end + 1 ||
      in.size() - header.end - 1 < pixels)
    refuse_file_of_image("the PNM image is truncated");
}

ImageFormat format_of(const Numbers& in) {
  if (in.has("\xff\xd8\xff", 0)) return ImageFormat::Jpeg;
  if (in.has("\x89PNG\r\n\x1a\n", 0)) return ImageFormat::Png;
  if (in.has("RIFF", 0) && in.has("WEBP", 8)) return ImageFormat::WebP;
  if (in.has("BM", 0)) return ImageFormat::Bmp;
  if (in.has("II*", 0) || (in.size() > 3 && in.has(std::string_view("MM\0*", 4), 0))) return ImageFormat::Tiff;
  const bool is_pnm = in.has("P", 0) && in.byte(1) >= '1' && in.byte(1) <= '6' && std::isspace(in.byte(2)) != 0;
  return is_pnm ? ImageFormat::Pnm : ImageFormat::Unknown;
}

ImageSize jpeg_size(const Numbers& in) {
  for (uint64_t at = 2; at + 9 < in.size();) {
    if (in.byte(at) != 0xff) return {};
    const unsigned char code = in.byte(at + 1);
    if (code == 0xff) {  // fill
      ++at;
      continue;
    }
    const bool is_frame = code >= 0xc0 && code <= 0xcf && code != 0xc4 && code != 0xc8 && code != 0xcc;
    if (is_frame) return {in.at(at + 7, 2), in.at(at + 5, 2), in.byte(at + 4) > 8 ? 2U : 1U};
    if (code == 0xda) return {};  // the scan: no sizes behind it
    at += 2 + std::max<uint64_t>(2, in.at(at + 2, 2));
  }
  return {};
}

ImageSize webp_size(const Numbers& in) {
  if (in.has("VP8X", 12)) return {in.at(24, 3) + 1, in.at(27, 3) + 1};
  if (in.has("VP8 ", 12)) return {in.at(26, 2) & 0x3fff, in.at(28, 2) & 0x3fff};
  if (!in.has("VP8L", 12)) return {};
  const uint64_t bits = in.at(21, 4);
  return {(bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1};
}

ImageSize tiff_size(const Numbers& in) {
  ImageSize size;
  const uint64_t directory = in.at(4, 4);
  for (uint64_t i = 0; i < in.at(directory, 2); ++i) {
    const uint64_t entry = directory + 2 + 12 * i, tag = in.at(entry, 2);
    const uint64_t value = in.at(entry + 8, in.at(entry + 2, 2) == 3 ? 2 : 4);
    if (tag == 256) size.width = value;
    if (tag == 257) size.height = value;
    if (tag == 258 && in.at(entry + 4, 4) == 1 && value > 8) size.channel_bytes = 2;
  }
  return size;
}

ImageSize read_size(const Bytes& bytes, ImageFormat format) {
  const Numbers big(bytes, false), little(bytes, true);
  switch (format) {
    case ImageFormat::Jpeg: return jpeg_size(big);
    case ImageFormat::Png: return {big.at(16, 4), big.at(20, 4), big.byte(24) > 8 ? 2U : 1U};
    case ImageFormat::WebP: return webp_size(little);
    case ImageFormat::Bmp: return BmpHeader(little).size;
    case ImageFormat::Pnm: {
      const PnmHeader header(little);
      return {header.width, header.height, header.highest > 255 ? 2U : 1U};
    }
    case ImageFormat::Tiff: return tiff_size(little.has("II", 0) ? little : big);
    case ImageFormat::Unknown: break;
  }
  return {};
}

}  // namespace

ImageFormat check_image_complete(const Bytes& bytes) {
  const Numbers little(bytes, true);
  const ImageFormat format = format_of(little);
  switch (format) {
    case ImageFormat::Jpeg: check_jpeg(bytes); break;
    case ImageFormat::Png: check_png(bytes); break;
    case ImageFormat::WebP: check_webp(little); break;
    case ImageFormat::Bmp: check_bmp(little); break;
    case ImageFormat::Pnm: check_pnm(little); break;
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

std::optional<ImageSize> claimed_size(const Bytes& bytes, ImageFormat format) {
  const ImageSize size = read_size(bytes, format);
  return size.width == 0 || size.height == 0 ? std::nullopt : std::optional(size);
}

void check_image_size(const Bytes& bytes, ImageFormat format) {
  const auto size = claimed_size(bytes, format);
  if (!size) return;
  // No side has more than 32 bits, so only the product of both with the channels can overflow: it then exceeds the
  // limit.
  uint64_t needed = 0;
  if (__builtin_mul_overflow(size->width * 3 * size->channel_bytes, size->height, &needed)) needed = UINT64_MAX;
  check_memory(needed, [&] {
    return "an image of " + std::to_string(size->width) + "x" + std::to_string(size->height) + " pixels";
  });
}

}  // namespace detent
