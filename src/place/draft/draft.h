#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ops/op_kind.h"
#include "place/plan/measured_float.h"
#include "place/plan/placement_plan.h"

namespace detent {

/// A placement plan while the rules are writing it, and the facts about the graph that they look at.
///
/// The first rule that decides an edge or a layer wins; `replace_*` is for the few exceptions that their rule names.
/// The rule's id is stamped on each decision by the draft (begin_rule). Node and value ids are those of the graph.
class PlacementDraft {
 public:
  PlacementDraft(const Graph& graph, const Target& target, const PlacementOptions& options,
                 MeasuredFloat measured = {});

  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] const Node& node(NodeId id) const { return graph_.node(id); }
  [[nodiscard]] const Value& value(ValueId id) const { return graph_.value(id); }
  [[nodiscard]] const Node* producer(ValueId id) const { return graph_.producer(id); }
  [[nodiscard]] const Target& target() const { return target_; }
  [[nodiscard]] const PlacementOptions& options() const { return options_; }
  [[nodiscard]] const MeasuredFloat& measured() const { return measured_; }
  /// Opset of the default domain as the written model will have it.
  [[nodiscard]] int64_t opset() const;

  // ---- facts ----
  [[nodiscard]] OpKind kind(NodeId node) const { return traits_[node]->kind; }
  [[nodiscard]] const OpTraits& traits(NodeId node) const { return *traits_[node]; }
  /// Slot of the constant weight operand; -1 when the node is not a weighted op.
  [[nodiscard]] int weight_slot(NodeId node) const { return weight_slots_[node]; }
  [[nodiscard]] bool is_weighted(NodeId node) const { return weight_slot(node) >= 0; }
  /// Weight tensor of a weighted op.
  [[nodiscard]] const Tensor& weight(NodeId node) const;
  /// Axis of the weight that counts output channels; -1 where engines know none and one scale serves all.
  [[nodiscard]] int weight_axis(const Node& node) const;
  /// Input slots that carry data: not weights, biases, shapes, axes, bounds, left-out inputs.
  [[nodiscard]] const std::vector<int>& data_slots(NodeId node) const { return data_slots_[node]; }
  /// Value of the first data slot; kNoValue when there is none.
  [[nodiscard]] ValueId data_input(NodeId node) const;
  /// Float32, Float16 or BFloat16, which a pair may stand on; false where nothing tells the type (ValueTypes).
  [[nodiscard]] bool is_float(ValueId value) const { return is_float_[value]; }
  [[nodiscard]] bool is_constant(ValueId value) const { return graph_.value(value).is_constant; }
  /// ONNX Runtime moves pairs across the node: MaxPool, Reshape, Transpose, Squeeze, Unsqueeze, Slice.
  [[nodiscard]] bool lets_pairs_move(NodeId node) const { return lets_pairs_move_[node]; }
  /// Such a node, and a subgraph reads what it writes, or what such a node behind it does.
  [[nodiscard]] bool moves_pairs_into_subgraph(NodeId node) const { return moves_into_subgraph_[node]; }
  /// What ends_in_float() of onnxruntime_pairs.h has found; empty before, and after a node is kept out.
  [[nodiscard]] NodeMap<bool>& ends_in_float() const { return ends_in_float_; }
  /// The node is of a domain other than ONNX's own.
  [[nodiscard]] bool is_foreign(NodeId node) const;
  /// A pair may stand on the value: not a constant, and for TensorRT not written by an operator of another domain.
  [[nodiscard]] bool may_carry_pair(ValueId value) const;
  [[nodiscard]] std::string describe(NodeId node) const;           ///< "Conv 'conv1'"
  [[nodiscard]] std::string describe_source(ValueId value) const;  ///< "Conv 'conv1'" or "graph input 'x'"

  // ---- marks ----
  /// No rule may quantize the node's inputs or weights; its edges become float with this reason.
  void keep_out(NodeId node, const std::string& reason);
  /// The same by the user's wish: the node reads floats whatever its neighbours would like.
  void exclude(NodeId node, const std::string& reason);
  [[nodiscard]] bool is_excluded(NodeId node) const { return excluded_[node]; }
  void force(NodeId node) { forced_[node] = true; }
  [[nodiscard]] bool is_out(NodeId node) const { return out_[node]; }
  [[nodiscard]] bool is_forced(NodeId node) const { return forced_[node]; }

  // ---- decisions ----
  void begin_rule(RuleId rule) { rule_ = rule; }
  /// Decide an edge that no rule has decided yet; nothing happens otherwise, where the slot is no data slot, and for a
  /// pair on a value that is not a float.
  void pair(NodeId node, int slot, const std::string& reason) { decide(node, slot, Precision::Int8, reason); }
  void keep_float(NodeId node, int slot, const std::string& reason) { decide(node, slot, Precision::Float, reason); }
  void replace_with_pair(NodeId node, int slot, const std::string& reason) {
    replace(node, slot, Precision::Int8, reason);
  }
  void replace_with_float(NodeId node, int slot, const std::string& reason) {
    replace(node, slot, Precision::Float, reason);
  }
  [[nodiscard]] bool is_decided(NodeId node, int slot) const;
  [[nodiscard]] bool is_pair(NodeId node, int slot) const;
  /// Some edge or the graph output reads a pair of the value.
  [[nodiscard]] bool has_pair(ValueId value) const;
  /// Edges and graph outputs that read a pair.
  [[nodiscard]] size_t pair_count() const;
  /// Some edge of a value's readers is a pair: the value is quantized for a consumer's sake.
  void pair_output(ValueId value, const std::string& reason);
  [[nodiscard]] bool has_output_pair(ValueId value) const { return has_output_pair_[value]; }

  void run_int8(NodeId node, const std::string& reason) { decide_layer(node, Precision::Int8, reason); }
  void run_float(NodeId node, const std::string& reason) { decide_layer(node, Precision::Float, reason); }
  void replace_with_float_layer(NodeId node, const std::string& reason) {
    layers_[node] = {Precision::Float, rule_, reason};
  }
  /// The layer keeps its pairs and its INT8 weight, and the engine runs it in float all the same.
  void run_rounded_float(NodeId node, const std::string& reason) {
    quantize_weight(node);
    rounded_[node] = true;
    replace_with_float_layer(node, reason);
  }
  [[nodiscard]] bool is_int8(NodeId node) const;
  /// The constant in `bias` is the bias of the MatMul `node`: written as one where biases are integers.
  void set_bias(NodeId node, Use bias) { biases_[node] = bias; }
  /// The bias that set_bias() was given; no node without one.
  [[nodiscard]] Use added_bias(NodeId node) const {
    const auto found = biases_.find(node);
    return found == biases_.end() ? Use{} : found->second;
  }
  /// The weight is written as INT8 + DQ. An INT8 layer's weight is without being asked for.
  void quantize_weight(NodeId node) { weight_quantized_[node] = true; }

  /// Pairs on the two values, where there are any in the end, take one scale.
  void share_scale(ValueId a, ValueId b);
  /// Adds a sentence to the reason of every pair on the value.
  void explain_pairs(ValueId value, const std::string& sentence);
  /// The first range given for a value holds.
  void fix_range(ValueId value, Range range);
  void limit_range(ValueId value, Range range) { range_limits_.push_back({value, range}); }
  void note(const std::string& sentence) { notes_.push_back(sentence); }

  [[nodiscard]] PlacementPlan finish(const ValueShapes& shapes);

 private:
  enum class Precision : uint8_t { Undecided, Float, Int8 };
  struct Decision {
    Precision precision = Precision::Undecided;
    RuleId rule = RuleId::None;
    std::string reason;
    [[nodiscard]] bool is_decided() const { return precision != Precision::Undecided; }
    [[nodiscard]] bool is_int8() const { return precision == Precision::Int8; }
  };

  Decision& edge(NodeId node, int slot) { return edges_[node][static_cast<size_t>(slot)]; }
  [[nodiscard]] const Decision& edge(NodeId node, int slot) const { return edges_[node][static_cast<size_t>(slot)]; }
  void decide(NodeId node, int slot, Precision precision, const std::string& reason);
  void replace(NodeId node, int slot, Precision precision, const std::string& reason);
  void decide_layer(NodeId node, Precision precision, const std::string& reason);
  void find_weight_slot(const Node& node);
  void find_data_slots(const Node& node);
  void find_movable_pairs();
  ValueId scale_root(ValueId value);
  void finish_layers(PlacementPlan& plan) const;
  void finish_edges(PlacementPlan& plan) const;
  void finish_groups(PlacementPlan& plan);
  void finish_ranges(PlacementPlan& plan) const;

  const Graph& graph_;
  const Target& target_;
  const PlacementOptions& options_;
  MeasuredFloat measured_;
  RuleId rule_ = RuleId::None;
  NodeMap<const OpTraits*> traits_;
  NodeMap<int> weight_slots_;
  NodeMap<std::vector<int>> data_slots_;
  NodeMap<bool> out_, excluded_, forced_, weight_quantized_, rounded_, lets_pairs_move_, moves_into_subgraph_;
  mutable NodeMap<bool> ends_in_float_;
  NodeMap<std::vector<Decision>> edges_;  // by slot
  NodeMap<Decision> layers_;
  std::map<NodeId, Use> biases_;  // of MatMuls with an Add behind
  ValueMap<bool> is_float_;
  ValueMap<ValueId> scale_parent_;  // union-find forest
  std::vector<OutputPair> output_pairs_;
  ValueMap<bool> has_output_pair_;
  std::vector<FixedRange> fixed_ranges_, range_limits_;
  std::vector<std::string> notes_;
};

}  // namespace detent
