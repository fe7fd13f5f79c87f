#pragma once

#include <string>
#include <vector>

#include "detent/calibrator.h"
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
  bool half_scales = true;          ///< FP16 values: FP16 scales (opset >= 19); false: FP32 scales and casts

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

struct Rewrite {
  GraphPatch patch;
  std::vector<QuantizedValue> values;  ///< every paired value, ascending by id
  std::vector<std::string> warnings;   ///< sentences: a bias that stayed float, a value that was never anything but 0
};

}  // namespace detent
