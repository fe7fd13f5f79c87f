// The only part that needs the libraries of images and of FLAC: OpenCV for resizing and drawing, and those of the
// formats for decoding and encoding. It is a separate module, loaded with the first such file
// (datasets/images/load_codecs.h), because most commands read none.
#include <algorithm>
#include <cmath>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgproc.hpp>

#include "datasets/codecs/codec.h"
#include "datasets/images/picture.h"

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
  return {owner, mat.data, {mat.rows, mat.cols}, mat.channels(), Pixels::Depth::Bits8, mat.step};
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

/// Runs `work`; false, and the reason, where it cannot read the file.
template <class Work>
bool unless_unreadable(std::string& error, Work&& work) {
  try {
    work();
    return true;
  } catch (const Unreadable& thrown) {
    error = thrown.what;
  } catch (const std::bad_alloc&) {
    error = "the system has too little memory to decode the file";
  }
  return false;
}

bool decode(const Codecs::Request& request, Codecs::Result& result, std::string& error) {
  return unless_unreadable(error, [&] {
    switch (request.format) {
      case ImageFormat::Jpeg: result = decode_jpeg(request); break;
      case ImageFormat::Png: result = decode_png(request); break;
      case ImageFormat::WebP: result = decode_webp(request); break;
      default: result = decode_tiff(request); break;
    }
  });
}

bool decode_flac_file(const std::vector<unsigned char>& bytes, AudioSink& sink, std::string& error) {
#ifdef DETENT_FLAC
  return unless_unreadable(error, [&] { decode_flac(bytes, sink); });
#else
  static_cast<void>(bytes), static_cast<void>(sink);
  error = "FLAC is not read: this build lacks libFLAC";
  return false;
#endif
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

/// Returns the frame's pixels, cut to one pixel beyond the picture; nothing where an edge is not finite.
cv::Rect frame_of(const DrawnBox& box, cv::Size picture) {
  if (!std::isfinite(box.left + box.top + box.right + box.bottom)) return {};
  const auto place = [](float edge, int side) {
    return static_cast<int>(std::lround(std::clamp(edge, -1.0F, static_cast<float>(side))));
  };
  const cv::Point first(place(box.left, picture.width), place(box.top, picture.height));
  const cv::Point last(place(box.right, picture.width), place(box.bottom, picture.height));
  return {first, cv::Point(std::max(first.x + 1, last.x), std::max(first.y + 1, last.y))};
}

/// Returns black or white, which is easier to read on this ground.
cv::Scalar ink_on(const cv::Scalar& ground) {
  const bool bright = 0.114 * ground[0] + 0.587 * ground[1] + 0.299 * ground[2] > 128;  // luma of BT.601
  return bright ? cv::Scalar(0, 0, 0) : cv::Scalar(255, 255, 255);
}

/// Writes the text of a frame, moved into the picture.
void write_text(cv::Mat& image, const DrawnBox& box, const cv::Rect& frame, const cv::Scalar& ground) {
  constexpr int kFont = cv::FONT_HERSHEY_SIMPLEX, kMargin = 2;
  const double scale = std::clamp(image.cols / 900.0, 0.33, 1.0);
  int descent = 0;
  const cv::Size text = cv::getTextSize(box.text, kFont, scale, 1, &descent);
  const cv::Size label(text.width + 2 * kMargin, text.height + 2 * kMargin);
  const int top = box.below ? frame.br().y : frame.y - label.height;
  const cv::Point corner(std::clamp(frame.x, 0, std::max(0, image.cols - label.width)),
                         std::clamp(top, 0, std::max(0, image.rows - label.height)));
  cv::rectangle(image, cv::Rect(corner, label), ground, cv::FILLED);
  cv::putText(image, box.text, corner + cv::Point(kMargin, kMargin + text.height), kFont, scale, ink_on(ground), 1,
              cv::LINE_AA);
}

Pixels draw(const Pixels& bgr, std::span<const DrawnBox> boxes) {
  prepare_opencv();
  cv::Mat image = mat_of(bgr).clone();
  for (const bool text : {false, true})  // texts over all frames
    for (const DrawnBox& box : boxes) {
      const cv::Rect frame = frame_of(box, image.size());
      const cv::Scalar colour(box.bgr[0], box.bgr[1], box.bgr[2]);
      if (frame.empty()) continue;
      if (!text)
        cv::rectangle(image, frame, colour, box.width);
      else if (!box.text.empty())
        write_text(image, box, frame, colour);
    }
  return pixels_of(image);
}

}  // namespace

}  // namespace detent

extern "C" __attribute__((visibility("default"))) const detent::Codecs detent_codecs{
    detent::Codecs::kVersion, detent::decode,     detent::resize,     detent::gray, detent::draw,
    detent::decode_flac_file, detent::encode_png, detent::encode_jpeg};
