#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "datasets/pixels.h"
#include "datasets/preprocess.h"
#include "detent/base/data_source.h"

namespace detent {

/// Conversion of decoded images into tensors for one model input. Thread-safe after construction.
class ImageTransform {
 public:
  /// Errors  InvalidData when the input is not an image of the spec's channels or its fixed size disagrees with the
  /// spec; InvalidOption when a size is neither in the model nor in the spec.
  ImageTransform(PreprocessSpec spec, const InputSpec& input);

  /// Converts `bgr`, 8-bit with 3 channels, to 1xCxHxW (1xHxWxC with layout=nhwc) of the input's type, computed as
  /// float32 (x / div - mean) / std.
  /// Errors  InvalidData, without a file name, when this image's size cannot fit.
  [[nodiscard]] Tensor apply(const Pixels& bgr) const;

 private:
  [[nodiscard]] Pixels place(const Pixels& image) const;
  [[nodiscard]] Pixels letterbox(const Pixels& image) const;
  [[nodiscard]] Pixels crop(const Pixels& image) const;
  [[nodiscard]] Pixels resize(const Pixels& image, PixelSize size) const;

  PreprocessSpec spec_;
  DataType type_;
  int64_t height_, width_;                      // the model's, < 0 when open
  std::vector<std::array<float, 256>> levels_;  // per channel: the result for each pixel value
};

/// Map from the pixels of an image to those of the network: (x, y) of the image lies at (x * scale_x + left, y *
/// scale_y + top) of the network's input.
struct ImagePlacement {
  double scale_x = 1, scale_y = 1, left = 0, top = 0;
};

/// input  the network's height and width.
/// Errors  none: sizes that ImageTransform refuses give numbers without a meaning.
[[nodiscard]] ImagePlacement placement_of(const PreprocessSpec& spec, PixelSize image, PixelSize input);

/// Returns the size of an image whose short side becomes `side`: the long side is rounded half to even and at least
/// `side`.
[[nodiscard]] PixelSize short_side_size(PixelSize image, int side);

/// Returns the size of an image inside a letterbox: r = min(H/h, W/w), both sides trunc(side * r) in double, at least
/// 1.
[[nodiscard]] PixelSize letterboxed_size(PixelSize image, PixelSize box);

}  // namespace detent
