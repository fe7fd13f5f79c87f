// The one part that needs OpenCV's image codecs. They bring more than a hundred libraries of the system, which take 30 ms or more to
// load: this is a module of its own, loaded when the first image is read (datasets/load_codecs.h).
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>

#include "datasets/load_codecs.h"

namespace {

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

}  // namespace

extern "C" __attribute__((visibility("default"))) bool detent_decode_pixels(const std::vector<unsigned char>& bytes,
                                                                            bool as_stored, cv::Mat& pixels,
                                                                            std::string& error) {
  prepare_opencv();
  try {
    pixels = cv::imdecode(bytes, as_stored ? cv::IMREAD_UNCHANGED : cv::IMREAD_COLOR | cv::IMREAD_ANYDEPTH);
    return true;
  } catch (const cv::Exception& thrown) {
    error = thrown.err;
    return false;
  }
}
