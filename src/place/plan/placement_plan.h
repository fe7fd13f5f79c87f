#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
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
  Reads reads = Reads::Float;
  RuleId rule = nullptr;
  std::string reason;          ///< in words, never empty
  RuleId overruled = nullptr;  ///< the first rule that wanted the opposite

  [[nodiscard]] bool reads_pair() const { return is_pair(reads); }
};

/// The reason for a pair that a graph output reads.
struct OutputPair {
  RuleId rule = nullptr;
  std::string reason;
};

/// Everything that a plan decides about one value. Edges say who reads its pair, the graph output does with `output`.
struct ValueDecision {
  bool pair = false;            ///< false: only its range must be known, for a calibration cache
  int scale_group = -1;         ///< values with the same group >= 0 share one scale, calibrated on their merged data
  bool wide = false;            ///< its codes have 16 bits
  bool second_pair = false;     ///< some edge reads codes of the other width
  bool symmetric = false;       ///< its zero point must be 0
  bool near_symmetric = false;  ///< its zero point is 0 where that costs few steps (PlacementPlan::code_type)
  bool unsigned_codes = false;  ///< UINT8 codes in a plan of INT8 ones
  bool mask = false;            ///< its huge negative numbers may be cut (PlacementPlan::masked_sums)
  std::optional<Range> fixed;   ///< its range is given, not measured (Softmax)
  std::optional<Range> limit;   ///< its measured range is cut to this (Clip)
  bool whole_steps = false;     ///< where its range begins at this limit, 0 is a whole number of steps above
  std::optional<OutputPair> output;
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

/// A weighted op and how the engine runs it. LSTM runs on codes with HTP and ONNX Runtime only, GRU with HTP, RNN and
/// nodes with layers inside (If) never.
struct LayerDecision {
  NodeId node{};
  Runs runs = Runs::Float;
  RuleId rule = nullptr;
  std::string reason;
  int64_t params = 0;  ///< elements of weight and constant bias
  int64_t macs = 0;    ///< multiply-accumulates for one sample; 0 when the shapes are not known

  [[nodiscard]] bool runs_on_codes() const { return on_codes(runs); }
  /// True when quantization costs it precision, however the engine runs it.
  [[nodiscard]] bool is_quantized() const { return runs != Runs::Float; }
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
struct PlacementPlan {
  const Target* target = nullptr;
  CodeType type = CodeType::Int8;            ///< type of the codes that nothing sets apart
  std::vector<EdgeDecision> edges;           ///< every data input of every node, in node order, then slot
  std::map<ValueId, ValueDecision> values;   ///< those with a pair, and those whose range must be known
  std::vector<WeightDecision> weights;       ///< weights to be quantized, in node order
  std::vector<TableDecision> tables;         ///< weights alone: other constants that may be codes, in order of readers
  std::vector<LayerDecision> layers;         ///< every node with weights, in node order
  std::vector<WideNode> wide_nodes;          ///< in node order
  std::vector<MaskedSum> masked_sums;        ///< sums whose range follows that of the scores, which has a range
  std::vector<AttentionDecision> attention;  ///< of engines that fuse attention, in the order of its Softmax
  std::vector<EngineDoubt> doubts;           ///< a verdict is not good with them
  std::vector<std::string> notes;            ///< such as a LeakyRelu without a pair behind it
  CoverageReport coverage;                   ///< without CoverageReport::type and casts

  /// Returns the values with a pair, ascending by id.
  [[nodiscard]] std::vector<ValueId> paired_values() const;
  /// Returns the values whose range must be known, ascending by id: all of `values`. Paired constants (onnxruntime, Add
  /// and Mul) are included; their range is fixed.
  [[nodiscard]] std::vector<ValueId> quantized_values() const;
  /// Returns the decision about a value; the default where it is not quantized.
  [[nodiscard]] const ValueDecision& about(ValueId value) const;
  /// Returns the codes that an edge with a pair reads.
  [[nodiscard]] CodeType codes_of(const EdgeDecision& edge) const;
  /// Returns the type of a value's codes: `activations`, that without a zero point for a symmetric value that goes
  /// below 0 (or one that is near_symmetric and has such a range), or UINT8 instead of INT8 for one of unsigned codes.
  /// A given zero point other than the middle stays, with its type.
  [[nodiscard]] DataType code_type(ValueId value, const Range& range, DataType activations) const;
  /// Returns the values that share one scale, by group.
  [[nodiscard]] std::vector<std::vector<ValueId>> scale_groups() const;
  /// Returns the quantized values that get one range together: the groups, and every other value alone; sorted.
  [[nodiscard]] std::vector<std::vector<ValueId>> range_units() const;
  /// Takes the pairs of values away: what read them reads floats.
  void take_pairs(const std::function<bool(ValueId)>& of);
  /// Returns nullptr when the slot is not a data input.
  [[nodiscard]] const EdgeDecision* find_edge(NodeId consumer, int slot) const;
  /// True for a value that something reads, but nothing as a float.
  [[nodiscard]] bool only_pairs_read(const Value& value) const;
  /// Returns nullptr when the node is not a weighted op.
  [[nodiscard]] const LayerDecision* find_layer(NodeId node) const;
};

/// True where symmetric codes take at most 1.25 times the steps of asymmetric ones. Range{} -> true.
[[nodiscard]] bool is_near_symmetric(const Range& range);

/// Returns the edge whose pair an input slot reads: its own, or the first one before copies that pairs moved across
/// (V2). nullptr: the slot reads floats.
[[nodiscard]] const EdgeDecision* find_pair(const PlacementPlan& plan, const Graph& graph, NodeId consumer, int slot);

}  // namespace detent
