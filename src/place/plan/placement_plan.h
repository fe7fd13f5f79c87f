#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "detent/placement_options.h"
#include "place/targets/target.h"

namespace detent {

/// Shapes of values for one sample, from a run. Values may be missing: what depends on them counts 0.
using ValueShapes = std::map<ValueId, Shape>;

/// One edge: a value read by one input slot of one node, and what was decided for it.
struct EdgeDecision {
  ValueId value = kNoValue;
  NodeId consumer = kNoNode;
  int slot = 0;
  bool pair = false;     ///< the consumer reads the DequantizeLinear of a pair
  int scale_group = -1;  ///< pairs with the same group >= 0 share one scale, calibrated on their merged data
  std::string rule;      ///< "R4 residual add"; "-" when no rule spoke
  std::string reason;    ///< in words, never empty
};

/// A weight to be quantized.
struct WeightDecision {
  NodeId node = kNoNode;
  int slot = 1;
  ValueId value = kNoValue;
  int axis = 0;  ///< output channel axis; -1 per tensor
  Use bias{};    ///< constant added behind a MatMul that an engine takes for its bias; no node: the operator's own bias
};

/// A weighted op and whether the engine will run it in INT8.
struct LayerDecision {
  NodeId node = kNoNode;
  bool int8 = false;
  std::string rule, reason;
  int64_t params = 0;  ///< elements of weight and constant bias
  int64_t macs = 0;    ///< multiply-accumulates for one sample; 0 when the shapes are not known
};

/// A pair on a graph output (or a value no edge quantizes): the graph output itself reads the DQ too.
struct OutputPair {
  ValueId value = kNoValue;
  int scale_group = -1;
  std::string rule, reason;
};

/// A range known without measuring.
struct FixedRange {
  ValueId value = kNoValue;
  Range range;
};

/// What of the model runs in INT8. Activation bytes are those of the float values that some edge reads, at the width of
/// FP32; they count as INT8 when a pair stands on the value.
struct Coverage {
  int64_t layers = 0, int8_layers = 0;
  int64_t macs = 0, int8_macs = 0;
  int64_t params = 0, int8_params = 0;
  int64_t activation_bytes = 0, int8_activation_bytes = 0;
  int64_t pairs = 0;  ///< QuantizeLinear/DequantizeLinear pairs on activations that will be written
};

/// Every decision about a graph for a target; the rewriter executes exactly this.
///
/// A value gets at most one pair. The edges with `pair` read its DequantizeLinear, the others the float value.
struct PlacementPlan {
  const Target* target = nullptr;
  std::vector<EdgeDecision> edges;       ///< every data input of every node, in node order, then slot
  std::vector<WeightDecision> weights;   ///< weights to be quantized, in node order
  std::vector<LayerDecision> layers;     ///< every weighted op, in node order
  std::vector<OutputPair> output_pairs;  ///< pairs that the graph output reads
  std::vector<FixedRange> fixed_ranges;  ///< paired values whose range is given, not measured (Softmax)
  std::vector<FixedRange> range_limits;  ///< paired values whose measured range is cut to this (Clip)
  std::vector<std::string> notes;        ///< e.g. a LeakyRelu without a pair behind it
  Coverage coverage;

  /// Values whose range must be known: those of every pair, each once, ascending by id. Constants that are paired
  /// (onnxruntime, Add and Mul) are among them; their range is fixed.
  [[nodiscard]] std::vector<ValueId> quantized_values() const;
  /// Values that share one scale, by group; every group has at least two.
  [[nodiscard]] std::vector<std::vector<ValueId>> scale_groups() const;
  /// nullptr when the slot is not a data input.
  [[nodiscard]] const EdgeDecision* find_edge(NodeId consumer, int slot) const;
  /// nullptr when the node is not a weighted op.
  [[nodiscard]] const LayerDecision* find_layer(NodeId node) const;
};

/// Runs the target's rules in order. BatchNormalization should have been folded before (fold_batchnorm.h).
/// An empty graph gives an empty plan.
/// Errors  InvalidOption for a regular expression that does not parse or an include or exclude that matches nothing.
[[nodiscard]] PlacementPlan make_placement_plan(const Graph& graph, const Target& target,
                                                const PlacementOptions& options, const ValueShapes& shapes = {});

}  // namespace detent
