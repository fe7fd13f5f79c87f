#include "datasets/images/picture.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "core/float_type.h"
#include "core/index.h"
#include "datasets/images/load_codecs.h"
#include "detent/base/error.h"

namespace detent {

namespace {

/// Factor and summand by channel that turn an input's values into 0..255.
struct PixelScale {
  double factor = 1, offset = 0;

  [[nodiscard]] uint8_t pixel(float value) const {
    const double level = value * factor + offset;
    return std::isnan(level) ? uint8_t{0} : static_cast<uint8_t>(std::lround(std::clamp(level, 0.0, 255.0)));
  }
};

PixelScale undone(const PreprocessSpec& spec, size_t channel) {
  const auto of = [&](const std::vector<float>& numbers) { return numbers[numbers.size() == 1 ? 0 : channel]; };
  return {static_cast<double>(of(spec.std)) * spec.div, static_cast<double>(of(spec.mean)) * spec.div};
}

PixelScale stretched(std::span<const float> values) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const float value : values)
    if (std::isfinite(value)) low = std::min<double>(low, value), high = std::max<double>(high, value);
  if (!(high > low)) return {0, 0};
  return {255 / (high - low), -low * 255 / (high - low)};
}

/// The places of an image's values in a tensor of four axes.
struct ImageAxes {
  int64_t channels, height, width;
  int64_t channel_step, row_step, column_step;

  ImageAxes(const Shape& shape, bool channels_last)
      : channels(shape[channels_last ? 3 : 1]), height(shape[channels_last ? 1 : 2]),
        width(shape[channels_last ? 2 : 3]), channel_step(channels_last ? 1 : height * width),
        row_step(channels_last ? width * channels : width), column_step(channels_last ? channels : 1) {}
};

std::string written(std::string file) {
  if (file.empty()) throw Error(ErrorCode::Internal, "a picture cannot be written as PNG or JPEG");
  return file;
}

}  // namespace

Pixels picture_of(std::span<const Tensor> inputs, const std::optional<PreprocessSpec>& preprocess) {
  const auto image = std::ranges::find_if(inputs, [](const Tensor& input) { return input.shape().rank() == 4; });
  if (image == inputs.end() || image->shape().element_count() == 0) return {};
  const Tensor values = cast(*image, DataType::Float32);
  const Shape& shape = values.shape();
  const ImageAxes axes(shape, preprocess ? preprocess->channels_last : shape[3] <= 4 && shape[1] > 4);
  const std::span<const float> data = values.data<float>();
  const bool gray = axes.channels < 3;
  const bool blue_first = preprocess && preprocess->color == PreprocessSpec::Color::Bgr;
  const PixelScale whole = preprocess ? PixelScale{} : stretched(data);
  const size_t row_bytes = 3 * as_index(axes.width);
  const auto bytes = std::make_shared<std::vector<unsigned char>>(as_index(axes.height) * row_bytes);
  for (int64_t b = 0; b < 3; ++b) {
    const int64_t c = gray ? 0 : blue_first ? b : 2 - b;
    const PixelScale scale = preprocess ? undone(*preprocess, as_index(c)) : whole;
    for (int64_t y = 0; y < axes.height; ++y)
      for (int64_t x = 0; x < axes.width; ++x)
        (*bytes)[as_index(y) * row_bytes + as_index(3 * x + b)] =
            scale.pixel(data[as_index(c * axes.channel_step + y * axes.row_step + x * axes.column_step)]);
  }
  const PixelSize size{static_cast<int>(axes.height), static_cast<int>(axes.width)};
  return {bytes, bytes->data(), size, 3, Pixels::Depth::Bits8, row_bytes};
}

Pixels draw_boxes(const Pixels& bgr, std::span<const DrawnBox> boxes) { return load_codecs().draw(bgr, boxes); }

Pixels shrink(const Pixels& pixels, int width) {
  const PixelSize size = pixels.size();
  if (size.width <= width) return pixels;
  const double height = static_cast<double>(size.height) * width / size.width;
  return load_codecs().resize(pixels, {std::max(1, static_cast<int>(std::lround(height))), width},
                              PreprocessSpec::Interpolation::Area);
}

std::string encode_png(const Pixels& bgr) { return written(load_codecs().encode_png(bgr)); }
std::string encode_jpeg(const Pixels& bgr) { return written(load_codecs().encode_jpeg(bgr)); }

}  // namespace detent
