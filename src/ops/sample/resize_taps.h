#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace detent {

enum class ResizeMode : uint8_t { Nearest, Linear, Cubic };
enum class CoordinateMode : uint8_t {
  HalfPixel,
  HalfPixelSymmetric,
  PytorchHalfPixel,
  AlignCorners,
  Asymmetric,
  TfHalfPixelForNearest,
  TfCropAndResize,
};
enum class NearestMode : uint8_t {
  RoundPreferFloor,
  RoundPreferCeil,
  Floor,
  Ceil,
  FloorUpCeilDown,  ///< below opset 11: down where the axis grows, up where it shrinks
};

struct ResizeOptions {
  ResizeMode mode = ResizeMode::Nearest;
  CoordinateMode coordinates = CoordinateMode::HalfPixel;
  NearestMode nearest = NearestMode::RoundPreferFloor;
  float cubic_coefficient = -0.75F;
  bool exclude_outside = false;
  bool antialias = false;
  float extrapolation_value = 0;
};

/// One axis to be resized. `scale` is out / in as the model states it (not the quotient of the rounded extents).
struct ResizeAxis {
  int64_t in = 0, out = 0;
  float scale = 1;
  float roi_start = 0, roi_end = 1;  ///< tf_crop_and_resize only
};

/// For every output index the input indices it is made of and their weights, which add up to 1. An output index without
/// taps lies outside (tf_crop_and_resize) and takes the extrapolation value. Nearest: one tap of weight 1.
struct ResizeTaps {
  std::vector<int64_t> first;  ///< taps of output o: [first[o], first[o + 1])
  std::vector<int64_t> index;
  std::vector<float> weight;
};

/// An upper bound of the taps of one output index; infinite where a scale of antialias is next to 0 (tf_crop_and_resize).
[[nodiscard]] double kernel_width(const ResizeAxis& axis, const ResizeOptions& options);

/// Input   an axis whose taps fit memory: axis.out times kernel_width().
/// Source  ONNX operator Resize, opset 19, and its reference for coordinates; arithmetic in float as ONNX Runtime's.
///         FloorUpCeilDown: ONNX Runtime, Resize of opset 10, whose text leaves it open.
[[nodiscard]] ResizeTaps make_taps(const ResizeAxis& axis, const ResizeOptions& options);

}  // namespace detent
