#pragma once

#include <vector>

#include "detent/qparams.h"

namespace detent {

/// How the largest magnitude that a weight channel keeps is chosen.
enum class WeightRange : uint8_t {
  Max,  ///< max |w|
  Mse,  ///< of [0.5, 1] * max |w| what has the smallest squared error
};

struct WeightOptions {
  DataType type = DataType::Int8;  ///< or Float8E4M3FN, for which bits stay 8 and the range is Max
  int bits = 8;                    ///< 7 keeps codes in [-64, 63] against saturation without VNNI
  WeightRange range = WeightRange::Max;
  DataType scale_type = DataType::Float32;  ///< scales are representable in it
  // One for each scale, or empty.
  std::vector<float> least_scale = {};  ///< no scale is smaller
  std::vector<float> zero_scale = {};   ///< scale of a channel that is all zero; 0: 1
  friend bool operator==(const WeightOptions&, const WeightOptions&) = default;
};

struct QuantizedWeight {
  Tensor codes;              ///< of the type asked for, the shape of the weight
  QParams qparams;           ///< one scale per extent of `axis`, or one for all when axis is -1; zero points 0
  size_t raised = 0;         ///< scales that least_scale raised
  size_t zero_channels = 0;  ///< channels that are all zero
};

/// Symmetric codes of a weight tensor, one scale per index of `axis` (-1: one scale).
///
/// Codes are those that QuantizeLinear computes from the weight with these scales: integers, or floats rounded to nearest even,
/// saturating. An all-zero channel gets scale 1.
/// Mse is never worse than Max in sum (w - w')^2: a grid over [0.5, 1] * max |w|, then for the codes of the best one
/// the scale that fits them best, sum(q w) / sum(q^2), as long as that helps. A grouped ConvTranspose weight is C_in x
/// C_out/group x k...: with axis 1 one scale serves the same index of every group.
/// Empty   no elements -> scales 1.
/// Errors  InvalidModel when a weight is NaN or Inf; InvalidOption for Float8E4M3FN with Mse or fewer bits; Internal for types other than float, double, half and bfloat16.
[[nodiscard]] QuantizedWeight quantize_weight(const Tensor& weight, int axis, const WeightOptions& options = {});

}  // namespace detent
