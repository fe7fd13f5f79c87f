#include "datasets/images/image_integrity.h"

#include <zlib.h>

#include <algorithm>
#include <cctype>

#include "core/index.h"
#include "datasets/base/file_numbers.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using Bytes = std::vector<unsigned char>;
using Numbers = FileNumbers;

constexpr size_t kPngSignature = 8;

[[noreturn]] void refuse_file_of_image(const std::string& what, const std::string& hint = {}) {
  throw Error(ErrorCode::InvalidData, what, hint);
}

/// A format that Detent does not read, and the bytes that its files have at an offset.
struct ForeignFormat {
  std::string_view name, magic;
  uint64_t offset = 0;
};

// Strings with zeros inside need their length.
constexpr ForeignFormat kForeignFormats[] = {
    {"JPEG 2000", {"\0\0\0\x0cjP  ", 8}},
    {"JPEG 2000", {"\xff\x4f\xff\x51", 4}},
    {"JPEG XL", {"\0\0\0\x0cJXL ", 8}},
    {"JPEG XL", {"\xff\x0a", 2}},
    {"HEIC", "ftyphei", 4},
    {"HEIC", "ftypmif1", 4},
    {"AVIF", "ftypavi", 4},
    {"GIF", "GIF8"},
    {"PAM", "P7"},
    {"PFM", "PF"},
    {"PFM", "Pf"},
    {"Sun raster", "\x59\xa6\x6a\x95"},
    {"Radiance HDR", "#?R"},
    {"OpenEXR", "\x76\x2f\x31\x01"},
    {"DICOM", "DICM", 128},
    {"Photoshop", "8BPS"},
    {"PDF", "%PDF"},
    {"QOI", "qoif"},
    {"ICO", {"\0\0\1\0", 4}},
};

constexpr const char* kReadFormats = "Detent reads JPEG, PNG, WebP, TIFF, BMP and PPM, PGM, PBM; convert the file";

[[noreturn]] void refuse_foreign(const Numbers& in) {
  const auto found = std::ranges::find_if(kForeignFormats, [&](const ForeignFormat& format) {
    return in.size() >= format.offset + format.magic.size() && in.has(format.magic, format.offset);
  });
  if (found == std::end(kForeignFormats)) refuse_file_of_image("not an image that can be decoded", kReadFormats);
  refuse_file_of_image("is " + std::string(found->name) + ", which Detent does not read", kReadFormats);
}

void check_jpeg(const Bytes& bytes) {
  walk_jpeg(bytes, [](unsigned char, size_t, size_t) { return true; });
}

bool is_essential(std::string_view type) {
  static constexpr std::string_view kTypes[] = {"IHDR", "PLTE", "tRNS", "IDAT", "IEND"};
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

/// Returns the bytes of a PNG's rows before they were packed; 2^64 - 1 for sizes that no file has.
uint64_t png_row_bytes(const Numbers& in, size_t header) {
  static constexpr uint64_t kChannels[] = {1, 0, 3, 1, 2, 0, 4};  // by colour type
  const uint64_t width = in.at(header, 4), height = in.at(header + 4, 4), bits = in.byte(header + 8);
  const uint64_t kind = in.byte(header + 9);
  const uint64_t row = (width * bits * (kind < std::size(kChannels) ? kChannels[kind] : 0) + 7) / 8;
  uint64_t bytes = 0;
  return __builtin_mul_overflow(row, height, &bytes) ? UINT64_MAX : bytes;
}

void check_png(const Bytes& bytes) {
  constexpr uint64_t kHeader = kPngSignature + 8, kHeaderBytes = 13;
  constexpr uint64_t kMostPacked = 1032;  // bytes that deflate makes of one
  const Numbers in(bytes, false);
  uint64_t data = 0;
  walk_png(bytes, [&](std::string_view type, size_t begin, size_t end) {
    if (begin == kPngSignature && (type != "IHDR" || in.at(begin, 4) != kHeaderBytes))
      refuse_file_of_image("the PNG image is damaged: its first chunk, at byte 8, is no header (IHDR)");
    if (begin != kPngSignature && type == "IHDR")
      refuse_file_of_image("the PNG image is damaged: a second header (IHDR) at byte " + std::to_string(begin));
    if (type == "IDAT") data += end - begin;
    if (!is_essential(type) && type != "eXIf") return;
    const uLong checksum = crc32(0, &bytes[begin + 4], static_cast<uInt>(end - begin - 8));
    if (checksum != in.at(end - 4, 4))
      refuse_file_of_image("the PNG image is damaged: the checksum of chunk " + std::string(type) + " at byte " +
                           std::to_string(begin) + " is wrong");
  });
  if (png_row_bytes(in, kHeader) > data * kMostPacked)
    refuse_file_of_image("the PNG image is damaged: its header, at byte 8, says " + std::to_string(in.at(kHeader, 4)) +
                         "x" + std::to_string(in.at(kHeader + 4, 4)) + " pixels, which " + std::to_string(data) +
                         " bytes of data cannot hold");
}

void check_webp(const Numbers& in) {
  if (in.size() < in.at(4, 4) + 8)
    refuse_file_of_image("the WebP image is truncated: it has " + std::to_string(in.size()) + " of " +
                         std::to_string(in.at(4, 4) + 8) + " bytes");
  constexpr uint64_t kFlags = 20;
  constexpr unsigned char kAnimated = 0x02;
  if (in.has("VP8X", 12) && (in.byte(kFlags) & kAnimated) != 0)
    refuse_file_of_image("the WebP image is animated: a sample is one picture; save the frames as single images");
}

/// True for TIFF and BigTIFF.
bool is_tiff(const Numbers& in) {
  if (in.size() < 4) return false;
  return in.has({"II*\0", 4}, 0) || in.has({"MM\0*", 4}, 0) || in.has({"II+\0", 4}, 0) || in.has({"MM\0+", 4}, 0);
}

ImageFormat format_of(const Numbers& in) {
  if (in.has("\xff\xd8\xff", 0)) return ImageFormat::Jpeg;
  if (in.has("\x89PNG\r\n\x1a\n", 0)) return ImageFormat::Png;
  if (in.has("RIFF", 0) && in.has("WEBP", 8)) return ImageFormat::WebP;
  if (in.has("BM", 0)) return ImageFormat::Bmp;
  if (is_tiff(in)) return ImageFormat::Tiff;
  const bool is_pnm = in.has("P", 0) && in.byte(1) >= '1' && in.byte(1) <= '6' && std::isspace(in.byte(2)) != 0;
  return is_pnm ? ImageFormat::Pnm : ImageFormat::Unknown;
}

}  // namespace

void walk_jpeg(const Bytes& bytes, const std::function<bool(unsigned char, size_t, size_t)>& visit) {
  const auto refuse = [&] {
    refuse_file_of_image("the JPEG image is truncated: its end marker is missing behind byte " +
                         std::to_string(bytes.size()));
  };
  constexpr unsigned char kEnd = 0xd9;
  for (size_t at = 2;;) {
    // Next marker: FF and a code that is neither stuffing (00) nor fill (FF). Restart markers are inside a scan.
    while (at + 1 < bytes.size() && !(bytes[at] == 0xff && bytes[at + 1] != 0x00 && bytes[at + 1] != 0xff)) ++at;
    if (at + 1 >= bytes.size()) refuse();
    const unsigned char code = bytes[at + 1];
    at += 2;
    if (code == kEnd) return void(visit(code, at, at));
    if (code == 0x01 || (code >= 0xd0 && code <= 0xd8)) continue;  // markers without a length
    if (at + 2 > bytes.size()) refuse();
    const size_t end = at + (as_index(bytes[at]) << 8 | bytes[at + 1]);
    if (!visit(code, std::min(at + 2, end), std::min(end, bytes.size()))) return;
    at = end;
  }
}

void walk_png(const Bytes& bytes, const std::function<void(std::string_view, size_t, size_t)>& visit) {
  const Numbers in(bytes, false);
  constexpr size_t kOverhead = 12;  // length, type, checksum
  for (size_t at = kPngSignature;;) {
    const size_t left = bytes.size() - at, content = in.at(at, 4);
    if (left < kOverhead || left - kOverhead < content)
      refuse_file_of_image("the PNG image is truncated: its end chunk is missing; the chunk at byte " +
                           std::to_string(at) + " is cut");
    const size_t end = at + kOverhead + content;
    const std::string_view type(reinterpret_cast<const char*>(&bytes[at + 4]), 4);
    visit(type, at, end);
    if (type == "IEND") return;
    at = end;
  }
}

ImageFormat check_image_complete(const Bytes& bytes) {
  const Numbers little(bytes, true);
  const ImageFormat format = format_of(little);
  switch (format) {
    case ImageFormat::Jpeg: check_jpeg(bytes); break;
    case ImageFormat::Png: check_png(bytes); break;
    case ImageFormat::WebP: check_webp(little); break;
    case ImageFormat::Bmp:
    case ImageFormat::Pnm:
    case ImageFormat::Tiff: break;
    case ImageFormat::Unknown: refuse_foreign(little);
  }
  return format;
}

}  // namespace detent
