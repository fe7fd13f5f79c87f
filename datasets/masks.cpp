#include "datasets/masks.h"

#include <array>
#include <opencv2/core.hpp>

#include "datasets/image_decode.h"
#include "datasets/natural_order.h"
#include "detent/error.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 6> kLossless = {".png", ".bmp", ".tif", ".tiff", ".pgm", ".webp"};

std::optional<fs::path> find_at(const fs::path& path) {
  std::error_code ignored;
  const std::string extension = lower_extension(path);
  const bool lossy = extension == ".jpg" || extension == ".jpeg";
  if (!lossy && fs::is_regular_file(path, ignored)) return path;
  for (const char* other : kLossless) {
    const fs::path candidate = fs::path(path).replace_extension(other);
    if (fs::is_regular_file(candidate, ignored)) return candidate;
  }
  return std::nullopt;
}

/// One channel of several that agree. Errors  InvalidData when they do not.
cv::Mat single_channel(const cv::Mat& pixels) {
  cv::Mat first;
  cv::extractChannel(pixels, first, 0);
  for (int c = 1; c < std::min(3, pixels.channels()); ++c) {
    cv::Mat other;
    cv::extractChannel(pixels, other, c);
    if (cv::norm(first, other, cv::NORM_INF) != 0)
      throw Error(ErrorCode::InvalidData, "holds colours, but a mask's pixel values are class numbers",
                  "save masks as grayscale images; palettes are read as their colours");
  }
  return first;
}

}  // namespace

std::optional<fs::path> find_mask(const fs::path& folder, const std::string& image) {
  // A list may name images by an absolute path or one that leaves its folder; that path leads to the image, not the mask.
  const fs::path below = fs::path(image).relative_path().lexically_normal();
  if (below == fs::path(image).lexically_normal() && *below.begin() != "..")
    if (const auto same = find_at(folder / below)) return same;
  return find_at(folder / below.filename());
}

ClassMask read_mask(const fs::path& path) {
  cv::Mat pixels = decode_image_as_stored(path);
  if (pixels.depth() != CV_8U && pixels.depth() != CV_16U)
    throw Error(ErrorCode::InvalidData, path.string() + ": a mask has 8-bit or 16-bit pixels");
  try {
    pixels = single_channel(pixels);
  } catch (const Error& error) {
    throw error.in(path.string());
  }
  cv::Mat wide;
  pixels.convertTo(wide, CV_16U);
  ClassMask mask{wide.rows, wide.cols, {}};
  mask.classes.reserve(wide.total());
  for (int row = 0; row < wide.rows; ++row)
    mask.classes.insert(mask.classes.end(), wide.ptr<uint16_t>(row), wide.ptr<uint16_t>(row) + wide.cols);
  return mask;
}

}  // namespace detent
