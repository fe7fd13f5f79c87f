#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "detent/options/float_types.h"
#include "detent/options/placement_options.h"
#include "detent/reports/plan_report.h"
#include "model/graph/value_shapes.h"
#include "place/engines/target.h"
#include "place/plan/attention_decision.h"
#include "place/plan/rule.h"

namespace detent {

/// The decision about one edge: a value read by one input slot of one node.
struct EdgeDecision {
  ValueId value{};
  NodeId consumer{};
  int slot = 0;
  bool pair = false;     ///< the consumer reads the DequantizeLinear of a pair
  int scale_group = -1;  ///< pairs with the same group >= 0 share one scale, calibrated on their merged data
  RuleId rule = nullptr;
  std::string reason;          ///< in words, never empty
  bool wide = false;           ///< a pair with 16-bit codes; where the value's own have 8 bits it is a second pair
  RuleId overruled = nullptr;  ///< the first rule that wanted the opposite
  bool dynamic = false;        ///< without a pair: the consumer quantizes the value at run time
};

/// A weight to be quantized.
struct WeightDecision {
  NodeId node{};
  int slot = 1;
  ValueId value{};
  int axis = 0;             ///< output channel axis; -1 per tensor
  std::optional<Use> bias;  ///< constant added behind a MatMul that an engine uses as its bias; none: the operator's
  bool dynamic = false;     ///< the data that it multiplies get their codes at run time
};

/// A constant that no layer multiplies by and that may be stored as INT8 codes: an embedding table, positions, a mask.
struct TableDecision {
  ValueId value{};
  NodeId node{};          ///< its first reader
  bool gathered = false;  ///< every reader is a Gather of its rows
  bool exact = false;     ///< stored as codes only if they represent every number exactly
};

/// A weighted op and whether the engine runs it in the plan's type of codes, INT8 or FP8. LSTM and GRU do on HTP only,
/// RNN and nodes with layers inside (If) never.
struct LayerDecision {
  NodeId node{};
  bool int8 = false;
  RuleId rule = nullptr;
  std::string reason;
  int64_t params = 0;    ///< elements of weight and constant bias
  int64_t macs = 0;      ///< multiply-accumulates for one sample; 0 when the shapes are not known
  bool rounded = false;  ///< float in the engine, although it has pairs and a quantized weight (O10)
  bool wide = false;     ///< its activations have 16-bit codes in a plan of 8-bit ones (H6)
  bool dynamic = false;  ///< its data get their scale and codes at run time (O13)

  /// True when quantization costs it precision, however the engine runs it.
  [[nodiscard]] bool is_quantized() const { return int8 || rounded; }
};

/// A pair on a graph output (or a value no edge quantizes): the graph output reads the DQ too.
struct OutputPair {
  ValueId value{};
  int scale_group = -1;
  RuleId rule = nullptr;
  std::string reason;
};

/// A value without a pair whose range is needed all the same: for a calibration cache.
struct RangedValue {
  ValueId value{};
  int scale_group = -1;
};

/// A range known without measuring.
struct FixedRange {
  ValueId value{};
  Range range;
};

/// A node that computes with 16-bit codes beside nodes of 8 bits (H6).
struct WideNode {
  NodeId node{};
  RuleId rule = nullptr;
  std::string reason;
};

/// Scores of attention to which a mask adds huge negative numbers before a Softmax (H7).
struct MaskedSum {
  ValueId sum{}, scores{}, mask{};
};

/// A reason to doubt that the engine computes what the file says, which no run of Detent's can show.
struct EngineDoubt {
  NodeId node{};
  std::string reason, cure;
};

/// Every decision about a graph for a target; the rewriter executes exactly these.
///
/// A value has at most one pair. The edges with `pair` read its DequantizeLinear, the others the float value.
/// Edges of another width read a second pair behind it (reads_second_grid): 8-bit codes are converted to 16-bit ones of
/// the same value, or back.
struct PlacementPlan {
  const Target* target = nullptr;
  CodeType type = CodeType::Int8;            ///< type of the codes; `int8` of a layer means that it runs on such codes
  std::vector<EdgeDecision> edges;           ///< every data input of every node, in node order, then slot
  std::vector<WeightDecision> weights;       ///< weights to be quantized, in node order
  std::vector<TableDecision> tables;         ///< weights alone: other constants that may be codes, in order of readers
  std::vector<LayerDecision> layers;         ///< every node with weights, in node order
  std::vector<OutputPair> output_pairs;      ///< pairs that the graph output reads
  std::vector<RangedValue> ranged_values;    ///< beside the paired ones, ascending by id
  std::set<ValueId> wide_values;             ///< paired values with 16-bit codes beside 8-bit ones; whole scale groups
  std::set<ValueId> symmetric_values;        ///< paired values whose zero point must be 0; whole scale groups
  std::set<ValueId> unsigned_values;         ///< paired values with unsigned codes; whole scale groups
  std::vector<FixedRange> fixed_ranges;      ///< paired values whose range is given, not measured (Softmax)
  std::vector<FixedRange> range_limits;      ///< paired values whose measured range is cut to this (Clip)
  std::vector<WideNode> wide_nodes;          ///< in node order
  std::vector<MaskedSum> masked_sums;        ///< sums whose range follows that of the scores, which has a range
  std::vector<AttentionDecision> attention;  ///< of engines that fuse attention, in the order of its Softmax
  std::vector<EngineDoubt> doubts;           ///< a verdict is not good with them
  std::vector<std::string> notes;            ///< such as a LeakyRelu without a pair behind it
  CoverageReport coverage;                   ///< without CoverageReport::type and casts

  /// Returns the values with a pair, each once, ascending by id.
  [[nodiscard]] std::vector<ValueId> paired_values() const;
  /// Returns the values whose range must be known: those of every pair and ranged_values, each once, ascending by id.
  /// Paired constants (onnxruntime, Add and Mul) are included; their range is fixed.
  [[nodiscard]] std::vector<ValueId> quantized_values() const;
  /// True for a value whose codes have 16 bits.
  [[nodiscard]] bool is_wide(ValueId value) const { return type == CodeType::A16W8 || wide_values.contains(value); }
  /// True for an edge that reads codes of another width than those of the value's own pair.
  [[nodiscard]] bool reads_second_grid(const EdgeDecision& edge) const {
    return edge.pair && edge.wide != is_wide(edge.value);
  }
  /// Returns the values with a second pair, ascending by id.
  [[nodiscard]] std::vector<ValueId> second_grids() const;
  /// Returns the type of a value's codes: `activations`, that without a zero point for a value of symmetric_values that
  /// goes below 0, or UINT8 instead of INT8 for one of unsigned_values. A given zero point other than the middle stays,
  /// with its type.
  [[nodiscard]] DataType code_type(ValueId value, const Range& range, DataType activations) const;
  /// Returns the values that share one scale, by group; every group has at least two.
  [[nodiscard]] std::vector<std::vector<ValueId>> scale_groups() const;
  /// Returns nullptr when the slot is not a data input.
  [[nodiscard]] const EdgeDecision* find_edge(NodeId consumer, int slot) const;
  /// Returns nullptr when the node is not a weighted op.
  [[nodiscard]] const LayerDecision* find_layer(NodeId node) const;
};

/// Returns the edge whose pair an input slot reads: its own, or the first one before copies that pairs moved across
/// (V2). nullptr: the slot reads floats.
[[nodiscard]] const EdgeDecision* find_pair(const PlacementPlan& plan, const Graph& graph, NodeId consumer, int slot);

}  // namespace detent
