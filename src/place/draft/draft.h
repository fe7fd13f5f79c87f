#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "place/draft/graph_facts.h"
#include "place/plan/measured_facts.h"
#include "place/plan/placement_plan.h"
#include "place/plan/placement_request.h"

namespace detent {

/// A placement plan while the rules are writing it: the decisions about a graph, whose facts it holds.
///
/// The first rule that decides an edge or a layer wins; `replace_*` is for the few exceptions that their rule names.
/// The draft records the rule's id with each decision (begin_rule). Node and value ids are those of the graph.
class PlacementDraft {
 public:
  /// facts, options  must outlive the draft
  PlacementDraft(const GraphFacts& facts, const PlacementRequest& options, MeasuredFacts measured = {});

  [[nodiscard]] const GraphFacts& facts() const { return *facts_; }
  [[nodiscard]] const PlacementRequest& options() const { return *options_; }
  [[nodiscard]] const MeasuredFacts& measured() const { return measured_; }
  /// Returns the name of the plan's type of codes, for reasons and notes: "INT8".
  [[nodiscard]] std::string_view codes() const { return name_of(options_->type); }
  /// True for a value that measurements keep apart from those that a Concat joins it with.
  [[nodiscard]] bool keeps_apart(ValueId id) const {
    return !measured_.apart.empty() && measured_.apart.contains(facts_->value(id).name);
  }

  /// Returns why no sample reaches the value; nullptr where its range is measured or given.
  [[nodiscard]] const std::string* why_unreached(ValueId id) const;

  /// Caches of decoding.h; empty before, and after a node is kept out.
  struct Ends {
    NodeMap<bool> decoding, heads;
  };
  [[nodiscard]] Ends& ends() const { return ends_; }

  /// Forbids rules to quantize the node's inputs or weights; its edges become float with this reason.
  void keep_out(NodeId node, const std::string& reason);
  /// Does the same at the user's request: the node reads floats whatever its neighbours need.
  void exclude(NodeId node, const std::string& reason);
  [[nodiscard]] bool is_excluded(NodeId node) const { return nodes_[node].excluded; }
  void force(NodeId node) { nodes_[node].forced = true; }
  [[nodiscard]] bool is_out(NodeId node) const { return nodes_[node].out; }
  /// Returns the rule that keeps a node out; nullptr for other nodes.
  [[nodiscard]] RuleId kept_out_by(NodeId node) const { return nodes_[node].out_by; }
  /// Says why a node is kept out: "is excluded", "stays float by R15 residual stream", "stays float".
  [[nodiscard]] std::string why_out(NodeId node) const;
  [[nodiscard]] bool is_forced(NodeId node) const { return nodes_[node].forced; }

  // ---- decisions ----
  void begin_rule(RuleId rule) { rule_ = rule; }
  /// Has every decision from now on told, a line each, in the order in which rules took them.
  void tell(std::string* told) { told_ = told; }
  /// Decides an edge that no rule has decided yet. Does nothing for other edges, for a slot that is not a data slot,
  /// and for a pair on a value that is not a float or that no sample reaches.
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
  /// True when some edge or the graph output reads a pair of the value.
  [[nodiscard]] bool has_pair(MaybeValue value) const;
  /// Returns the number of edges and graph outputs that read a pair.
  [[nodiscard]] size_t pair_count() const;
  /// Puts a pair on a graph output.
  void pair_output(ValueId value, const std::string& reason);
  [[nodiscard]] bool has_output_pair(ValueId value) const {
    const auto found = values_.find(value);
    return found != values_.end() && found->second.output;
  }

  void run_int8(NodeId node, const std::string& reason) { decide_layer(node, Precision::Int8, reason); }
  void run_float(NodeId node, const std::string& reason) { decide_layer(node, Precision::Float, reason); }
  void replace_with_float_layer(NodeId node, const std::string& reason) {
    set_layer(node, {Precision::Float, rule_, reason});
  }
  /// Keeps the layer's pairs and INT8 weight although the engine runs it in float.
  void run_rounded_float(NodeId node, const std::string& reason) {
    quantize_weight(node);
    set_layer(node, {Precision::Rounded, rule_, reason});
  }
  /// Has the product quantize its data at run time: it reads floats, and no other rule decides about it.
  void run_dynamic(NodeId node, const std::string& reason);
  /// Adds a sentence to the reason of the layer.
  void explain_layer(NodeId node, const std::string& sentence) { nodes_[node].layer.reason += "; " + sentence; }
  [[nodiscard]] bool is_int8(NodeId node) const;
  /// Records that the constant in `bias` is the bias of the MatMul `node`, to be written as one when biases are
  /// integers.
  void set_bias(NodeId node, Use bias) { biases_[node] = bias; }
  /// Returns the bias given to set_bias(); nullopt without one.
  [[nodiscard]] std::optional<Use> added_bias(NodeId node) const {
    const auto found = biases_.find(node);
    return found == biases_.end() ? std::nullopt : std::optional(found->second);
  }
  /// Has the weight written as INT8 + DQ, which the weight of an INT8 layer is anyway.
  void quantize_weight(NodeId node) { nodes_[node].weight_quantized = true; }

  /// Has a constant operand of an op without weights (the scale of a LayerNormalization, an embedding) written as codes
  /// with one scale, or one for each index of an axis.
  /// bias  slot of a constant that becomes its bias; -1: none
  struct Operand {
    int slot = 0, axis = -1, bias = -1;
  };
  void quantize_operand(NodeId node, Operand operand) { operands_[node] = operand; }

  /// Gives pairs on the two values, if both have one in the end, one scale.
  void share_scale(MaybeValue a, MaybeValue b);
  [[nodiscard]] bool share_one_scale(ValueId a, ValueId b) { return scale_root(a) == scale_root(b); }
  /// Has a node compute with codes of one width, 8 or 16 bits, whatever the width of the values that it reads: border
  /// values get a second pair. A node without a width reads each value as it is.
  void set_width(NodeId node, int bits) { nodes_[node].width = bits; }
  /// Gives the node 16 bits, with the reason for the plan.
  void widen(NodeId node, const std::string& reason);
  [[nodiscard]] int width(NodeId node) const { return nodes_[node].width; }
  /// True for a value whose pair, if it has one, gets 16-bit codes: in an A16W8 plan, where the options name it or a
  /// value that shares its scale, and where the node that writes it has that width. A graph input has the largest width
  /// of its readers, a constant the smallest.
  [[nodiscard]] bool is_wide(MaybeValue value) const;
  /// True for an edge whose pair, if it has one, has 16-bit codes.
  [[nodiscard]] bool reads_wide(NodeId node, int slot) const;
  /// Has the value's range measured although it may have no pair.
  void need_range(ValueId value) {
    if (!why_unreached(value)) ranged_.insert(value);
  }
  /// Gives the pair on the value, if it has one in the end, a zero point of 0: signed codes for a value that goes below
  /// 0.
  void make_symmetric(ValueId value) { values_[value].symmetric = true; }
  /// True for a value that shares its scale with one of make_symmetric().
  [[nodiscard]] bool is_symmetric(ValueId value) {
    return roots_of(&ValueDecision::symmetric).contains(scale_root(value));
  }
  /// Does so where the value's range reaches about as far on both sides of 0, or only above it.
  void make_near_symmetric(ValueId value) { values_[value].near_symmetric = true; }
  /// Gives the pair on the value, if it has one in the end, unsigned codes in a plan of signed ones.
  void make_unsigned(ValueId value) { values_[value].unsigned_codes = true; }
  /// Adds a sentence to the reason of every pair on the value.
  void explain_pairs(ValueId value, const std::string& sentence);
  /// Fixes the range of a value; the first one given holds.
  void fix_range(ValueId value, Range range) {
    if (std::optional<Range>& fixed = values_[value].fixed; !fixed) fixed = range;
  }
  /// Fixes the range of a constant to that of its numbers; does nothing for other values.
  void fix_range_of_constant(ValueId value);
  /// Has the measured range of a value cut; of two limits the wider one holds.
  void limit_range(ValueId value, Range range) {
    std::optional<Range>& limit = values_[value].limit;
    limit = limit ? joined(*limit, range) : range;
  }
  /// Has the range of the value begin a whole number of steps below 0 where it begins at its limit.
  void begin_in_whole_steps(ValueId value) { values_[value].whole_steps = true; }
  /// Has the ranges of a masked sum and of its mask follow that of the scores.
  void mask(const MaskedSum& masked) { masked_sums_.push_back(masked); }
  [[nodiscard]] const std::vector<MaskedSum>& masked_sums() const { return masked_sums_; }
  void attend(AttentionDecision decision) {
    decision.rule = rule_;
    attention_.push_back(std::move(decision));
  }
  void note(const std::string& sentence) { notes_.push_back(sentence); }
  void doubt(EngineDoubt reason) { doubts_.push_back(std::move(reason)); }

  [[nodiscard]] PlacementPlan finish(const ValueShapes& shapes);

 private:
  enum class Precision : uint8_t { Undecided, Float, Rounded, Int8, Dynamic };
  struct Decision {
    Precision precision = Precision::Undecided;
    RuleId rule = nullptr;
    std::string reason;
    RuleId overruled = nullptr;
    [[nodiscard]] bool is_decided() const { return precision != Precision::Undecided; }
    [[nodiscard]] bool is_int8() const { return precision >= Precision::Int8; }
  };

  struct NodeDraft {
    bool out = false, excluded = false, forced = false, weight_quantized = false;
    RuleId out_by = nullptr;
    int width = 0;  ///< in bits; 0: none
    Decision layer;
    std::vector<Decision> edges;  ///< by slot
  };

  Decision& edge(NodeId node, int slot) { return nodes_[node].edges[static_cast<size_t>(slot)]; }
  [[nodiscard]] const Decision& edge(NodeId node, int slot) const {
    return nodes_[node].edges[static_cast<size_t>(slot)];
  }
  void decide(NodeId node, int slot, Precision precision, const std::string& reason);
  void replace(NodeId node, int slot, Precision precision, const std::string& reason);
  void decide_layer(NodeId node, Precision precision, const std::string& reason);
  void set_layer(NodeId node, const Decision& decision);
  void tell(NodeId node, const std::string& what, const Decision& decision) const;
  ValueId scale_root(ValueId value);
  void finish_layers(PlacementPlan& plan) const;
  void finish_without_weight(const Node& node, PlacementPlan& plan) const;
  void finish_edges(PlacementPlan& plan) const;
  void finish_values(PlacementPlan& plan);
  void finish_groups(PlacementPlan& plan);
  [[nodiscard]] Runs runs(NodeId node) const;
  [[nodiscard]] std::set<ValueId> roots_of(bool ValueDecision::*mark);

  const GraphFacts* facts_;  // a pointer: drafts are assigned
  const PlacementRequest* options_;
  MeasuredFacts measured_;
  RuleId rule_ = nullptr;
  std::string* told_ = nullptr;
  NodeMap<NodeDraft> nodes_;
  mutable Ends ends_;
  std::vector<MaskedSum> masked_sums_;
  std::map<NodeId, WideNode> wide_nodes_;
  std::map<NodeId, Use> biases_;             // of MatMuls with an Add behind
  std::map<NodeId, Operand> operands_;       // of ops without weights
  ValueMap<ValueId> scale_parent_;           // union-find forest
  std::map<ValueId, ValueDecision> values_;  // what rules decide about them, whether they get a pair or not
  std::set<ValueId> ranged_;
  std::vector<AttentionDecision> attention_;
  std::vector<EngineDoubt> doubts_;
  std::vector<std::string> notes_;
};

}  // namespace detent
