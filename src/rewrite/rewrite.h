#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "detent/base/calibrator.h"
#include "model/graph_patch.h"
#include "place/plan/placement_plan.h"
#include "rewrite/weight_quantizer.h"

namespace detent {

/// How the pairs of a plan are written. The plan alone decides which edges get one.
struct RewriteOptions {
  QuantType activation;  ///< grid of activations; its scale_type is ignored, see half_scales
  int weight_bits = 8;
  WeightRange weight_range = WeightRange::Max;
  bool per_tensor_weights = false;  ///< one scale per weight instead of one per channel
  bool int8_weights = true;         ///< INT8 or FP8 initializer + DequantizeLinear; false: float weight + full pair
  bool int32_bias = false;          ///< constant bias as INT32 with scale s_x * s_w; false: float
  /// Products of 8-bit activations and INT8 weights saturate on some CPUs of the target: how weights are written for
  /// that.
  enum class Saturation : uint8_t {
    None,     ///< they never do
    Avoided,  ///< scales are raised until no pair of weights can (WeightOptions::safe_pairs)
    Accepted  ///< weights use all their codes
  };
  Saturation saturation = Saturation::None;
  /// By name of the constant: the scales that its codes were chosen with (WeightOptions::given_scale).
  std::map<std::string, std::vector<float>> weight_scales = {};
  /// Names of constants that are written as UINT8 codes with zero point 128. Their products never saturate, and take
  /// longer.
  std::set<std::string> uint8_weights = {};
  bool half_scales = true;  ///< FP16 values: FP16 scales (opset >= 19); false: FP32 scales and casts

  /// Weights have the activations' type, but are never asymmetric.
  [[nodiscard]] DataType weight_type() const {
    return activation.type == DataType::Float8E4M3FN ? DataType::Float8E4M3FN : DataType::Int8;
  }
  /// UINT8 codes have a zero point and take any interval; INT8 and FP8 codes are symmetric about 0.
  [[nodiscard]] RangeKind range_kind() const {
    if (activation.type == DataType::Float8E4M3FN) return RangeKind::Float8;
    return activation.type == DataType::UInt8 ? RangeKind::Asymmetric : RangeKind::Symmetric;
  }
};

/// A value with a pair and the grid it got.
struct QuantizedValue {
  ValueId value = kNoValue;
  Range range;
  QParams qparams;
  int scale_group = -1;
};

/// Weights that are multiplied in pairs (weight_pairs), and what keeps these pairs from saturating.
struct PairedWeights {
  size_t layers = 0, channels = 0;              ///< channels: scales, as many as outputs or one for all
  size_t raised = 0;                            ///< scales that were raised
  double factors = 0;                           ///< sum of what scales were multiplied by, 1 or more
  int64_t unsafe_pairs = 0, unsafe_layers = 0;  ///< that can saturate in the written file
};

struct Rewrite {
  GraphPatch patch;
  PairedWeights paired;                ///< of the layers whose products can saturate on some CPU of the target
  std::vector<QuantizedValue> values;  ///< every paired value, ascending by id
  std::vector<std::string> warnings;   ///< sentences: a bias that stayed float, a value that was never anything but 0
};

}  // namespace detent
