#pragma once

#include <vector>

#include "core/pair_order.h"
#include "detent/base/qparams.h"

namespace detent {

/// The choice of the largest magnitude that a weight channel keeps.
enum class WeightRange : uint8_t {
  Max,  ///< max |w|
  Mse,  ///< the magnitude in [0.5, 1] * max |w| with the smallest squared error
};

/// Options of quantize_weight.
struct WeightOptions {
  /// Float8E4M3FN: bits stay 8 and the range is Max. UInt8: one scale and a zero point for the interval of the numbers,
  /// whatever the axis, bits and range.
  DataType type = DataType::Int8;
  int bits = 8;         ///< 7 keeps codes in [-64, 63] against saturation without VNNI
  bool narrow = false;  ///< integer codes leave out the lowest one: [-127, 127]
  WeightRange range = WeightRange::Max;
  DataType scale_type = DataType::Float32;  ///< scales are representable in it
  // One for each scale, or empty.
  std::vector<float> given_scale = {};  ///< the scale, where positive: codes were chosen with it
  int32_t given_point = 0;              ///< the zero point of UInt8 with a given scale
  std::vector<float> least_scale = {};  ///< lower bound of scales not given
  std::vector<float> zero_scale = {};   ///< scale of a channel that is all zero; 0: 1
  /// Scales are raised until no pair of codes in this order saturates 16 bits. Kind::None: pairs are not considered.
  PairOrder safe_pairs = {};
  friend bool operator==(const WeightOptions&, const WeightOptions&) = default;
};

/// Codes and grid of a weight.
struct QuantizedWeight {
  Tensor codes;              ///< of the type asked for, the shape of the weight
  QParams qparams;           ///< one scale per extent of `axis`, or one for all when axis is -1
  size_t raised = 0;         ///< scales that least_scale raised
  size_t zero_channels = 0;  ///< channels that are all zero
  size_t made_safe = 0;      ///< scales that safe_pairs raised
  double safe_factors = 0;   ///< sum over all scales of the factor by safe_pairs, 1 or more
};

/// Computes codes of a weight tensor, one scale per index of `axis` (-1: one scale); symmetric ones except UInt8.
///
/// Codes are those that QuantizeLinear computes from the weight with these scales: integers, or floats rounded to
/// nearest even, saturating. A channel of zeros gets scale 1. Mse is never worse than Max in sum (w - w')^2: it
/// searches a grid over [0.5, 1] * max |w|, then takes the scale that fits the best codes, sum(q w) / sum(q^2), as long
/// as that helps. A grouped ConvTranspose weight is C_in x C_out/group x k...: with axis 1 one scale serves the same
/// index of every group. safe_pairs raises each scale by the least factor that makes its pairs safe (least_safe_scale),
/// after the range was chosen.
/// Empty   no elements -> scales 1.
/// Errors  InvalidModel when a weight is NaN or Inf; InvalidOption for Float8E4M3FN with Mse or fewer bits; Internal
/// for types other than float, double, half and bfloat16.
[[nodiscard]] QuantizedWeight quantize_weight(const Tensor& weight, int axis, const WeightOptions& options = {});

}  // namespace detent
