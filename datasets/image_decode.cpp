#include "datasets/image_decode.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>

#include "datasets/npy.h"
#include "detent/error.h"

namespace detent {

namespace {

using Bytes = std::vector<unsigned char>;

constexpr unsigned char kPngSignature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::InvalidData, what); }

/// OpenCV reports failures on stderr besides throwing, and starts threads of its own; both are switched off once.
void prepare_opencv() {
  static const bool done = [] {
    cv::setNumThreads(1);
    cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
    cv::redirectError([](int, const char*, const char*, const char*, int, void*) { return 0; });
    return true;
  }();
  static_cast<void>(done);
}

uint32_t big_endian(const unsigned char* at) {
  return static_cast<uint32_t>(at[0]) << 24 | static_cast<uint32_t>(at[1]) << 16 | static_cast<uint32_t>(at[2]) << 8 | at[3];
}

bool is_png(const Bytes& bytes) {
  return bytes.size() >= sizeof kPngSignature && std::memcmp(bytes.data(), kPngSignature, sizeof kPngSignature) == 0;
}

bool is_jpeg(const Bytes& bytes) {
  return bytes.size() >= 3 && bytes[0] == 0xff && bytes[1] == 0xd8 && bytes[2] == 0xff;
}

/// A RIFF file says its own length.
void check_webp_complete(const Bytes& bytes) {
  if (bytes.size() < 12 || std::memcmp(bytes.data(), "RIFF", 4) != 0 || std::memcmp(bytes.data() + 8, "WEBP", 4) != 0) return;
  const uint64_t stated = bytes[4] | static_cast<uint64_t>(bytes[5]) << 8 | static_cast<uint64_t>(bytes[6]) << 16 |
                          static_cast<uint64_t>(bytes[7]) << 24;
  if (bytes.size() < stated + 8) refuse("the WebP image is truncated");
}

bool is_essential(const unsigned char* type) {
  static constexpr const char* kTypes[] = {"IHDR", "PLTE", "tRNS", "IDAT", "IEND", "eXIf"};
  return std::any_of(std::begin(kTypes), std::end(kTypes),
                     [type](const char* wanted) { return std::memcmp(type, wanted, 4) == 0; });
}

Bytes read_bytes(const std::filesystem::path& path) {
  const auto file = FileBytes::open(path);
  Bytes bytes(file->size());
  file->read(0, bytes.data(), bytes.size());
  return bytes;
}

cv::Mat decode_bytes(const Bytes& bytes) {
  if (bytes.empty()) refuse("the file is empty (0 bytes)");
  const bool png = is_png(bytes);
  const bool jpeg = is_jpeg(bytes);
  if (jpeg) check_jpeg_complete(bytes);
  check_webp_complete(bytes);
  cv::Mat pixels;
  try {
    pixels = cv::imdecode(png ? essential_png(bytes) : bytes, cv::IMREAD_COLOR | cv::IMREAD_ANYDEPTH);
  } catch (const cv::Exception& error) {
    refuse("the image cannot be decoded: " + error.err);
  }
  if (pixels.empty()) refuse(png || jpeg ? "the image is damaged and cannot be decoded" : "not an image that can be decoded");
  if (pixels.depth() == CV_16U) {
    cv::Mat narrow;
    pixels.convertTo(narrow, CV_8U, 1.0 / 257);
    return narrow;
  }
  if (pixels.depth() != CV_8U) refuse("the image has neither 8-bit nor 16-bit pixels; give such data as .npy");
  return pixels;
}

}  // namespace

void check_jpeg_complete(const Bytes& bytes) {
  constexpr const char* kTruncated = "the JPEG image is truncated: its end marker is missing";
  size_t at = 2;
  while (true) {
    // Next marker: FF and a code that is neither stuffing (00) nor fill (FF) nor a restart marker inside a scan.
    while (at + 1 < bytes.size() && !(bytes[at] == 0xff && bytes[at + 1] != 0x00 && bytes[at + 1] != 0xff)) ++at;
    if (at + 1 >= bytes.size()) refuse(kTruncated);
    const unsigned char code = bytes[at + 1];
    at += 2;
    if (code == 0xd9) return;
    if (code == 0x01 || (code >= 0xd0 && code <= 0xd8)) continue;  // markers without a length
    if (at + 2 > bytes.size()) refuse(kTruncated);
    at += static_cast<size_t>(bytes[at]) << 8 | bytes[at + 1];
  }
}

Bytes essential_png(const Bytes& bytes) {
  constexpr size_t kOverhead = 12;  // length, type, checksum
  Bytes kept(bytes.begin(), bytes.begin() + sizeof kPngSignature);
  size_t at = sizeof kPngSignature;
  while (true) {
    if (bytes.size() - at < kOverhead) refuse("the PNG image is truncated: its end chunk is missing");
    const size_t length = big_endian(&bytes[at]);
    const unsigned char* type = &bytes[at + 4];
    if (bytes.size() - at - kOverhead < length) refuse("the PNG image is truncated: its end chunk is missing");
    const size_t end = at + kOverhead + length;
    if (is_essential(type)) {
      const uLong checksum = crc32(0, type, static_cast<uInt>(length + 4));
      if (checksum != big_endian(&bytes[end - 4])) refuse("the PNG image is damaged: a checksum is wrong");
      kept.insert(kept.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.begin() + static_cast<std::ptrdiff_t>(end));
    }
    if (std::memcmp(type, "IEND", 4) == 0) return kept;
    at = end;
  }
}

cv::Mat decode_image(const std::filesystem::path& path) {
  prepare_opencv();
  const Bytes bytes = read_bytes(path);
  try {
    return decode_bytes(bytes);
  } catch (const Error& error) {
    throw error.in(path.string());
  }
}

}  // namespace detent
