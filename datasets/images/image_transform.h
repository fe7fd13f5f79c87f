#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "datasets/images/image_decode.h"
#include "datasets/images/pixels.h"
#include "datasets/images/preprocess.h"
#include "detent/base/data_source.h"

namespace detent {

/// Conversion of decoded images into tensors for one model input. Thread-safe after construction.
class ImageTransform {
 public:
  /// Errors  InvalidData when the input is not an image of the spec's channels or its fixed size disagrees with the
  /// spec; InvalidOption when a size is neither in the model nor in the spec.
  ImageTransform(PreprocessSpec spec, const InputSpec& input);

  /// Converts an image, 8-bit with 3 channels, to 1xCxHxW (1xHxWxC with layout=nhwc) of the input's type, computed as
  /// float32 (x / div - mean) / std. Sizes follow from the image's whole size, also where it was decoded at a smaller
  /// one.
  /// Errors  InvalidData, without a file name, when this image's size cannot fit.
  [[nodiscard]] Tensor apply(const DecodedImage& image) const;

  /// Returns the shortest side at which a larger image may be decoded instead, because what Pillow's filters leave of
  /// it hardly changes: five times the longest side that it is resized to. Of 12-megapixel photographs decoded so
  /// 99.998 % of the resized pixels lie within one level. Nothing where each pixel may count.
  [[nodiscard]] std::optional<int> sufficient_side() const;

 private:
  [[nodiscard]] Pixels place(const Pixels& image, PixelSize whole) const;
  [[nodiscard]] Pixels letterbox(const Pixels& image, PixelSize whole) const;
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

/// How the length of a side becomes whole.
enum class SideRounding : uint8_t { HalfToEven, Down };

/// Returns the size of an image whose short side becomes `side`; the long side is at least `side`.
/// Source  Down: torchvision 0.15, transforms.functional.resize.
[[nodiscard]] PixelSize short_side_size(PixelSize image, int side, SideRounding rounding);

/// Returns the size of an image inside a letterbox: r = min(H/h, W/w), both sides side * r in double, at least 1.
/// Source  Down: YOLOX 0.3, data_augment.preproc; HalfToEven: ultralytics 8.0, LetterBox.
[[nodiscard]] PixelSize letterboxed_size(PixelSize image, PixelSize box, SideRounding rounding);

/// Returns the first pixel of a centred part of `size`.
/// Source  HalfToEven: torchvision 0.15, transforms.functional.center_crop.
[[nodiscard]] PixelSize centre_offset(PixelSize whole, PixelSize size, SideRounding rounding);

}  // namespace detent
