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

/// The form in which the pairs of a plan are written. The plan alone decides which edges get one.
struct RewriteOptions {
  QuantType activation;  ///< grid of activations; its scale_type is ignored, see half_scales
  int weight_bits = 8;
  bool narrow_weights = false;  ///< no weight has the lowest code: [-127, 127]
  bool off_middle = false;      ///< no zero point in the middle of 8-bit codes: INT8 weights have -1
  WeightRange weight_range = WeightRange::Max;
  bool per_tensor_weights = false;   ///< one scale per weight instead of one per channel
  bool uint8_single_scales = false;  ///< a weight with one scale: UINT8 codes with a zero point
  bool int8_weights = true;          ///< INT8 or FP8 initializer + DequantizeLinear; false: float weight + full pair
  bool int32_bias = false;           ///< constant bias as INT32 with scale s_x * s_w; false: float
  /// Says how weights deal with products of 8-bit activations and INT8 weights that saturate on some CPUs of the
  /// target.
  enum class Saturation : uint8_t {
    None,     ///< products never saturate
    Avoided,  ///< scales are raised until no pair of weights saturates (WeightOptions::safe_pairs)
    Accepted  ///< weights use all their codes
  };
  Saturation saturation = Saturation::None;
  bool pairs_taps_apart = false;  ///< Target::pairs_taps_apart
  /// Scales that codes were chosen with (WeightOptions::given_scale), by name of the constant.
  std::map<std::string, std::vector<float>> weight_scales = {};
  /// Zero points other than 128 of UINT8 codes with a scale in `weight_scales`, by name of the constant.
  std::map<std::string, int32_t> weight_points = {};
  /// Names of constants written as UINT8 codes with zero point 128. Their products never saturate, and take longer.
  std::set<std::string> uint8_weights = {};
  bool half_scales = true;  ///< FP16 values: FP16 scales (opset >= 19); false: FP32 scales and casts

  /// Returns the type of weights: that of the activations, but never asymmetric.
  [[nodiscard]] DataType weight_type() const {
    return activation.type == DataType::Float8E4M3FN ? DataType::Float8E4M3FN : DataType::Int8;
  }
  /// Returns the kind of ranges: unsigned codes have a zero point and take any interval; signed and FP8 codes are
  /// symmetric about 0.
  [[nodiscard]] RangeKind range_kind() const { return code_format(activation.type).range; }
};

/// A value with a pair, and its grid.
struct QuantizedValue {
  ValueId value{};
  Range range;
  QParams qparams;
  int scale_group = -1;
};

/// Counts of weights that are multiplied in pairs (weight_pairs), and of the measures against saturation.
struct PairedWeights {
  size_t layers = 0, channels = 0;              ///< channels: scales, as many as outputs or one for all
  size_t raised = 0;                            ///< raised scales
  double factors = 0;                           ///< sum of the factors of scales, 1 or more each
  int64_t unsafe_pairs = 0, unsafe_layers = 0;  ///< can saturate in the written file
};

/// A patch that carries out a plan.
struct Rewrite {
  GraphPatch patch;
  PairedWeights paired;                ///< of the layers whose products can saturate on some CPU of the target
  std::vector<QuantizedValue> values;  ///< every paired value, ascending by id
  std::vector<QuantizedValue> second;  ///< grids of second pairs (Reads::SecondPair), ascending by id
  std::vector<std::string> warnings;   ///< sentences: a bias that stayed float, a value that was always 0

  /// Returns the grid of the codes that the edge reads; nullptr for an edge without a pair.
  [[nodiscard]] const QuantizedValue* find_grid(const EdgeDecision* edge) const;
};

}  // namespace detent
