#pragma once

#include <cstdint>
#include <vector>

#include "detent/base/api.h"
#include "detent/base/tensor.h"

namespace detent {

/// Closed interval in real units chosen by a calibrator; always contains 0. Symmetric ranges have min == -max.
struct Range {
  float min = 0;
  float max = 0;
  /// Above 0: amax is exactly 127 times this scale, and min and max are rounded. For INT8 scales that are given instead
  /// of measured.
  float given_scale = 0;
  /// At least 0: UINT8 and FP8 codes have exactly `given_scale` and this zero point, which is 0 for FP8.
  int32_t given_zero_point = -1;
  [[nodiscard]] float amax() const { return max > -min ? max : -min; }
  friend bool operator==(const Range&, const Range&) = default;
};

/// Grid of a quantized value.
struct QuantType {
  DataType type = DataType::Int8;           ///< Int8, Float8E4M3FN (symmetric, zero point 0) or UInt8 (asymmetric)
  bool full_range = false;                  ///< Int8 only: scale = 2*amax/256 instead of amax/127
  int weight_bits = 8;                      ///< 2..8; 7 keeps weights in [-64, 63] against saturation without VNNI
  DataType scale_type = DataType::Float32;  ///< Float16 in FP16 models: the scale is rounded to FP16, never to 0 or Inf
};

/// Quantization parameters: real = (q - zero_point) * scale. One element per tensor, or one per channel of `axis`.
struct QParams {
  std::vector<float> scale;
  std::vector<int32_t> zero_point;
  int axis = -1;  ///< -1: per tensor
  DataType type = DataType::Int8;
};

/// Computes scale and zero point of a range; every scale in Detent comes from here.
///
/// Symmetric int8: scale = amax/127 (narrow) or 2*amax/256 (full), zero point 0; with b bits 2^(b-1)-1 and 2^b replace
/// 127 and 256. Float8E4M3FN: scale = amax/448, its largest number, zero point 0. Asymmetric uint8: scale =
/// (max-min)/255, zero_point = round_half_even(-min/scale) clamped to 0..255 with the scale as stored; the range is
/// first widened to contain 0. Divides in double, stores as float. A range with a given scale keeps it bit for bit
/// (symmetric, narrow; asymmetric with a given zero point). Empty range (amax 0) -> scale 1, zero point 0; a scale
/// below FLT_MIN -> 1. Errors  InvalidOption for a type other than Int8, UInt8 and Float8E4M3FN, bits outside 2..8 or a
/// scale type that is
///         not a float; InvalidData for a range that is not finite or whose min exceeds its max.
/// Source  NVIDIA TensorRT and pytorch-quantization (narrow); "FP8 Formats for Deep Learning" (Micikevicius et al.
///         2022) and NVIDIA Model-Optimizer, modelopt/onnx/quantization/fp8.py (448); ONNX QuantizeLinear (rounding).
[[nodiscard]] DETENT_API QParams qparams_from_range(const Range& range, const QuantType& type);

/// Smallest and largest code of a type: Int8 -128..127 ...
struct CodeRange {
  int32_t lowest, highest;
};
[[nodiscard]] DETENT_API CodeRange code_range(DataType type);

/// Quantizes one element: saturate(round_half_even(x / scale) + zero_point). NaN -> 0, as saturating casts do.
[[nodiscard]] DETENT_API int32_t quantize_element(float x, float scale, int32_t zero_point, CodeRange codes);

}  // namespace detent
