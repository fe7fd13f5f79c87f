#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/graph_patch.h"
#include "place/plan/placement_plan.h"
#include "rewrite/weight_memo.h"

namespace detent {

/// How the pairs of a plan are written. Which edges get one is decided by the plan alone.
struct RewriteOptions {
  QuantType activation;  ///< grid of activations; its scale_type is ignored, see half_scales
  int weight_bits = 8;
  WeightRange weight_range = WeightRange::Max;
  bool per_tensor_weights = false;  ///< one scale per weight instead of one per channel
  bool int8_weights = true;         ///< INT8 initializer + DequantizeLinear; false: float weight + full pair
  bool int32_bias = false;          ///< constant bias as INT32 with scale s_x * s_w; false: float
  bool half_scales = true;          ///< FP16 values: FP16 scales (opset >= 19); false: FP32 scales and casts
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

/// Writes a plan as a patch: QuantizeLinear/DequantizeLinear on every paired value, quantized weights, constant scales.
///
/// Each paired value gets one pair, shared by the edges that the plan pairs; other readers keep the float value. A pair on
/// a graph output keeps the output's name behind the pair. New values are called VALUE_quantized, VALUE_dequantized,
/// VALUE_scale and VALUE_zero_point (made unique). `axis` is always written, zero points always given.
/// `ranges` holds a range for every value of plan.quantized_values(), in real units.
/// memo    quantized weights are taken from there and put there; for many plans of one graph.
/// Empty   a plan without pairs and weights -> an empty patch.
/// Errors  TableMismatch naming a paired value without a range; Internal when the plan does not belong to the graph.
/// Source  ONNX QuantizeLinear-13 and -19; what engines want of it: placement notes in src/place/targets.
[[nodiscard]] Rewrite make_qdq_patch(const Graph& graph, const PlacementPlan& plan,
                                     const std::map<ValueId, Range>& ranges, const RewriteOptions& options = {},
                                     WeightMemo* memo = nullptr);

}  // namespace detent
