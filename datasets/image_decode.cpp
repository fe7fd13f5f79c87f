#include "datasets/image_decode.h"

#include "core/file_bytes.h"
#include "core/memory_limit.h"
#include "datasets/image_integrity.h"
#include "datasets/image_size.h"
#include "datasets/load_codecs.h"
#include "detent/error.h"

namespace detent {

namespace {

using Bytes = std::vector<unsigned char>;

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::InvalidData, what); }

Bytes read_bytes(const std::filesystem::path& path) {
  const auto file = FileBytes::open(path);
  check_memory(file->size(), [&] { return path.string() + ": the file"; });
  Bytes bytes(file->size());
  file->read(0, bytes.data(), bytes.size());
  return bytes;
}

cv::Mat decode_bytes(const Bytes& bytes, bool as_stored) {
  if (bytes.empty()) refuse("the file is empty (0 bytes)");
  const ImageFormat format = check_image_complete(bytes);
  check_image_size(bytes, format);
  cv::Mat pixels;
  std::string error;
  if (!load_codecs()(format == ImageFormat::Png ? essential_png(bytes) : bytes, as_stored, pixels, error))
    refuse("the image cannot be decoded: " + error);
  if (pixels.empty())
    refuse(format == ImageFormat::Unknown ? "not an image that can be decoded"
                                          : "the image is damaged and cannot be decoded");
  return pixels;
}

cv::Mat decode_file(const std::filesystem::path& path, bool as_stored) {
  const Bytes bytes = read_bytes(path);
  try {
    return decode_bytes(bytes, as_stored);
  } catch (const Error& error) {
    throw error.in(path.string());
  }
}

}  // namespace

cv::Mat decode_image(const std::filesystem::path& path) {
  const cv::Mat pixels = decode_file(path, false);
  if (pixels.depth() == CV_16U) {
    cv::Mat narrow;
    pixels.convertTo(narrow, CV_8U, 1.0 / 257);
    return narrow;
  }
  if (pixels.depth() != CV_8U)
    refuse(path.string() + ": the image has neither 8-bit nor 16-bit pixels; give such data as .npy");
  return pixels;
}

cv::Mat decode_image_as_stored(const std::filesystem::path& path) { return decode_file(path, true); }

}  // namespace detent
