#pragma once

#include <optional>

#include "detent/qparams.h"

namespace detent {

/// How the largest magnitude that a weight channel keeps is chosen.
enum class WeightRange : uint8_t {
  Max,  ///< max |w|
  Mse,  ///< the part of [0.5, 1] * max |w| with the smallest squared error
};

struct WeightOptions {
  int bits = 8;  ///< 7 keeps codes in [-64, 63] against saturation without VNNI
  WeightRange range = WeightRange::Max;
  DataType scale_type = DataType::Float32;  ///< scales are representable in it
};

struct QuantizedWeight {
  Tensor codes;     ///< Int8, the shape of the weight
  QParams qparams;  ///< one scale per extent of `axis`, or one for all when axis is -1; zero points 0
};

/// Symmetric INT8 codes of a weight tensor, one scale per index of `axis` (-1: one scale).
///
/// Codes are what QuantizeLinear computes from the weight with these scales. An all-zero channel gets scale 1. Mse is never
/// worse than Max in sum (w - w')^2. A grouped ConvTranspose weight is C_in x C_out/group x k...: with axis 1 one scale
/// serves the same index of every group.
/// Empty   no elements -> scales 1.
/// Errors  InvalidModel when a weight is NaN or Inf; Internal for types other than float, double, half and bfloat16.
[[nodiscard]] QuantizedWeight quantize_weight(const Tensor& weight, int axis, const WeightOptions& options = {});

/// Codes of a bias: round_half_even(b / (input_scale * weight_scale[c])) as Int32, the scales being those products.
/// `bias` holds one number per output channel in its last extent; weight_scale one or a divisor of that many (grouped
/// ConvTranspose: channel c uses scale c mod count). nullopt when a code would not fit 32 bits or the sizes do not agree.
[[nodiscard]] std::optional<QuantizedWeight> quantize_bias(const Tensor& bias, float input_scale,
                                                           const std::vector<float>& weight_scale);

}  // namespace detent
