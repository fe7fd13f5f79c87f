#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "detent/base/api.h"
#include "detent/base/tensor.h"

namespace detent {

/// Grid of a quantized value, for which a calibrator chooses the range.
enum class RangeKind : uint8_t {
  Symmetric,     ///< signed 8-bit, 127 levels a side
  Asymmetric,    ///< unsigned 8-bit with zero point: [min, max]
  Float8,        ///< float8e4m3fn: symmetric, 126 magnitudes with growing steps, the largest 448
  Symmetric16,   ///< signed 16-bit, 32767 levels a side
  Asymmetric16,  ///< unsigned 16-bit with zero point
};

/// True for grids with a zero point, whose ranges need not be symmetric about 0.
[[nodiscard]] constexpr bool is_asymmetric(RangeKind kind) {
  return kind == RangeKind::Asymmetric || kind == RangeKind::Asymmetric16;
}
/// Returns the number of steps from 0 to amax, or from min to max; for Float8 those from 0 to its largest number.
[[nodiscard]] constexpr int steps_of(RangeKind kind) {
  constexpr int kSteps[] = {127, 255, 448, 32767, 65535};
  return kSteps[static_cast<int>(kind)];
}

/// Returns the kind with the same kind of zero point and 16 bits; Float8 stays.
[[nodiscard]] constexpr RangeKind widened(RangeKind kind) {
  return kind == RangeKind::Float8 ? kind : is_asymmetric(kind) ? RangeKind::Asymmetric16 : RangeKind::Symmetric16;
}

/// Facts about a type of codes that activations may have.
struct CodeFormat {
  DataType type = DataType::Int8;
  RangeKind range = RangeKind::Symmetric;
  int bits = 8;
  int64_t opset = 10;                   ///< the first opset whose QuantizeLinear writes it
  DataType wide = DataType::Int8;       ///< the type of 16 bits with the same kind of range; FP8: itself
  DataType symmetric = DataType::Int8;  ///< the type of as many bits whose zero point is 0
};
/// Returns every such type.
[[nodiscard]] DETENT_API std::span<const CodeFormat> code_formats();
/// Finds a type. Errors  InvalidOption for a type that no activation has.
[[nodiscard]] DETENT_API const CodeFormat& code_format(DataType type);

/// Closed interval in real units chosen by a calibrator; always contains 0. Symmetric ranges have min == -max.
struct Range {
  float min = 0;
  float max = 0;
  /// Above 0: amax is exactly 127 times this scale, and min and max are rounded. For INT8 scales that are given instead
  /// of measured.
  float given_scale = 0;
  /// At least 0: unsigned and FP8 codes have exactly `given_scale` and this zero point, which is 0 for FP8.
  int32_t given_zero_point = -1;
  [[nodiscard]] float amax() const { return max > -min ? max : -min; }
  friend bool operator==(const Range&, const Range&) = default;
};

/// Returns the range that covers both: one of them as it is where it covers the other.
[[nodiscard]] DETENT_API Range joined(const Range& a, const Range& b);

/// Grid of a quantized value.
struct QuantType {
  DataType type = DataType::Int8;           ///< one of code_formats()
  bool full_range = false;                  ///< Int8, Int16: scale = 2*amax/256 (65536) instead of amax/127 (32767)
  int weight_bits = 8;                      ///< of 8-bit codes, 2..8; 7 keeps [-64, 63] against saturation without VNNI
  DataType scale_type = DataType::Float32;  ///< Float16 in FP16 models: the scale is rounded to FP16, never to 0 or Inf
  float smallest_range = 0;                 ///< a range that is narrower is widened at its upper end
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
/// 127 and 256; int16 has 32767 and 65536. Float8E4M3FN: scale = amax/448, its largest number, zero point 0. Asymmetric
/// uint8: scale = (max-min)/255, zero_point = round_half_even(-min/scale) clamped to 0..255 with the scale as stored;
/// uint16 has 65535. The range is first widened to contain 0, then max to min + smallest_range, then made symmetric.
/// Divides in double, stores as float. A range with a given scale keeps it bit for bit (symmetric, narrow; asymmetric
/// with a given zero point). Empty range (amax 0) -> scale 1, zero point 0; a scale below FLT_MIN -> 1.
/// Errors  InvalidOption for a type that is none of code_formats(), bits outside 2..8 or a scale type that is not a
///         float; InvalidData for a range that is not finite or whose min exceeds its max.
/// Source  NVIDIA TensorRT and pytorch-quantization (narrow); "FP8 Formats for Deep Learning" (Micikevicius et al.
///         2022) and NVIDIA Model-Optimizer, modelopt/onnx/quantization/fp8.py (448); ONNX QuantizeLinear (rounding);
///         onnxruntime, python/tools/quantization/quant_utils.py, compute_scale_zp (smallest range).
[[nodiscard]] DETENT_API QParams qparams_from_range(const Range& range, const QuantType& type);

/// Smallest and largest code of a type: Int8 -128..127 ...
struct CodeRange {
  int32_t lowest, highest;
};
[[nodiscard]] DETENT_API CodeRange code_range(DataType type);

/// Quantizes one element: saturate(round_half_even(x / scale) + zero_point). NaN -> 0, as saturating casts do.
[[nodiscard]] DETENT_API int32_t quantize_element(float x, float scale, int32_t zero_point, CodeRange codes);

}  // namespace detent
