// The only part that needs OpenCV, for decoding and resizing. Its codecs load more than a hundred system libraries,
// which takes 30 ms or more, its core 3 ms: it is a separate module, loaded with the first image
// (datasets/load_codecs.h).
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "datasets/load_codecs.h"

namespace detent {

namespace {

/// Disables OpenCV's threads and its messages on stderr, once.
void prepare_opencv() {
  static const bool done = [] {
    cv::setNumThreads(1);
    cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
    cv::redirectError([](int, const char*, const char*, const char*, int, void*) { return 0; });
    return true;
  }();
  static_cast<void>(done);
}

Pixels pixels_of(const cv::Mat& mat) {
  if (mat.empty()) return {};
  const auto owner = std::make_shared<const cv::Mat>(mat);
  const Pixels::Depth depth = mat.depth() == CV_8U    ? Pixels::Depth::Bits8
                              : mat.depth() == CV_16U ? Pixels::Depth::Bits16
                                                      : Pixels::Depth::Other;
  return {owner, mat.data, {mat.rows, mat.cols}, mat.channels(), depth, mat.step};
}

/// Views 8-bit pixels as a Mat; OpenCV writes only into its results.
cv::Mat mat_of(const Pixels& pixels) {
  return {pixels.size().height, pixels.size().width, CV_8UC(pixels.channels()),
          const_cast<unsigned char*>(pixels.row(0)), pixels.row_bytes()};
}

int cv_interpolation(PreprocessSpec::Interpolation interpolation) {
  switch (interpolation) {
    case PreprocessSpec::Interpolation::Nearest: return cv::INTER_NEAREST;
    case PreprocessSpec::Interpolation::Cubic: return cv::INTER_CUBIC;
    case PreprocessSpec::Interpolation::Area: return cv::INTER_AREA;
    default: return cv::INTER_LINEAR;
  }
}

int cv_flags(ImageCodecs::Decoding how) {
  switch (how) {
    case ImageCodecs::Decoding::AsStored: return cv::IMREAD_UNCHANGED;
    case ImageCodecs::Decoding::BgrAsStored:
      return cv::IMREAD_COLOR | cv::IMREAD_ANYDEPTH | cv::IMREAD_IGNORE_ORIENTATION;
    default: return cv::IMREAD_COLOR | cv::IMREAD_ANYDEPTH;
  }
}

bool decode(const std::vector<unsigned char>& bytes, ImageCodecs::Decoding how, Pixels& pixels, std::string& error) {
  prepare_opencv();
  try {
    pixels = pixels_of(cv::imdecode(bytes, cv_flags(how)));
    return true;
  } catch (const cv::Exception& thrown) {
    error = thrown.err;
    return false;
  }
}

Pixels resize(const Pixels& pixels, PixelSize size, PreprocessSpec::Interpolation interpolation) {
  prepare_opencv();
  cv::Mat resized;
  cv::resize(mat_of(pixels), resized, cv::Size(size.width, size.height), 0, 0, cv_interpolation(interpolation));
  return pixels_of(resized);
}

Pixels gray(const Pixels& bgr) {
  prepare_opencv();
  cv::Mat result;
  cv::cvtColor(mat_of(bgr), result, cv::COLOR_BGR2GRAY);
  return pixels_of(result);
}

}  // namespace

}  // namespace detent

extern "C" __attribute__((visibility("default"))) const detent::ImageCodecs detent_image_codecs{
    detent::ImageCodecs::kVersion, detent::decode, detent::resize, detent::gray};
