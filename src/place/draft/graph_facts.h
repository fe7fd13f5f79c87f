#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/graph/graph.h"
#include "model/graph/value_shapes.h"
#include "ops/op_kind.h"
#include "place/engines/target.h"

namespace detent {

/// A graph and a target, and what follows from the two with certainty. Nothing here depends on options or decisions, so
/// that one object serves any number of drafts. Node and value ids are those of the graph.
class GraphFacts {
 public:
  /// shapes  sizes of one batch: those of the samples, not of every run; nullptr when there are none
  /// All arguments must outlive this object.
  GraphFacts(const Graph& graph, const Target& target, const ValueShapes* shapes = nullptr);

  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] const Node& node(NodeId id) const { return graph_.node(id); }
  [[nodiscard]] const Value& value(ValueId id) const { return graph_.value(id); }
  [[nodiscard]] const Node* producer(MaybeValue id) const { return graph_.producer(id); }
  [[nodiscard]] const Target& target() const { return target_; }
  /// Returns the sizes that were given; nullptr without any.
  [[nodiscard]] const ValueShapes* shapes() const { return shapes_; }
  /// Returns nullptr for a value whose sizes were not given.
  [[nodiscard]] const Shape* find_shape(MaybeValue value) const {
    return shapes_ ? detent::find_shape(*shapes_, value) : nullptr;
  }
  /// Returns the number of axes; nullopt where it is not known.
  [[nodiscard]] std::optional<size_t> find_rank(MaybeValue value) const;
  /// Returns the opset of the default domain in the written model.
  [[nodiscard]] int64_t opset() const;

  // A question about kNoValue is answered with false.
  [[nodiscard]] OpKind kind(NodeId node) const { return traits_[node]->kind; }
  [[nodiscard]] const OpTraits& traits(NodeId node) const { return *traits_[node]; }
  /// Returns the slot of the constant weight operand; -1 when the node is not a weighted op.
  [[nodiscard]] int weight_slot(NodeId node) const { return weight_slots_[node]; }
  [[nodiscard]] bool is_weighted(NodeId node) const { return weight_slot(node) >= 0; }
  /// Returns the weight tensor of a weighted op.
  [[nodiscard]] const Tensor& weight(NodeId node) const;
  /// Returns the axis of the weight that counts output channels; -1 when engines know none and one scale serves all.
  [[nodiscard]] int weight_axis(const Node& node) const;
  /// Returns the input slots that carry data: not weights, biases, shapes, axes, bounds, left-out inputs. For an engine
  /// with pairs everywhere also the weights and states of LSTM, GRU and RNN.
  [[nodiscard]] const std::vector<int>& data_slots(NodeId node) const { return data_slots_[node]; }
  /// Returns the value of the first data slot; kNoValue when there is none.
  [[nodiscard]] MaybeValue data_input(NodeId node) const;
  /// True for Float32, Float16 and BFloat16, which may carry a pair; false for an unknown type (ValueTypes).
  [[nodiscard]] bool is_float(MaybeValue value) const { return value && is_float_[*value]; }
  [[nodiscard]] bool is_constant(MaybeValue value) const { return value && graph_.value(*value).is_constant; }
  /// True when ONNX Runtime moves pairs across the node: MaxPool, Reshape, Transpose, Squeeze, Unsqueeze, Slice.
  [[nodiscard]] bool lets_pairs_move(NodeId node) const { return lets_pairs_move_[node]; }
  /// True for such a node when a subgraph reads its output, directly or behind more such nodes.
  [[nodiscard]] bool moves_pairs_into_subgraph(NodeId node) const { return moves_into_subgraph_[node]; }
  /// True for a node of a domain other than ONNX's, and for an operator that nothing is known of: a plugin may stand in
  /// ONNX's domain too.
  [[nodiscard]] bool is_foreign(NodeId node) const;
  /// True when the value may carry a pair: not a constant, and for TensorRT not written by an operator of another
  /// domain.
  [[nodiscard]] bool may_carry_pair(MaybeValue value) const;
  [[nodiscard]] std::string describe(NodeId node) const;           ///< "Conv 'conv1'"
  [[nodiscard]] std::string describe_source(ValueId value) const;  ///< "Conv 'conv1'" or "graph input 'x'"

 private:
  void find_weight_slot(const Node& node);
  void find_data_slots(const Node& node);
  void find_movable_pairs();

  const Graph& graph_;
  const Target& target_;
  const ValueShapes* shapes_;
  NodeMap<const OpTraits*> traits_;
  NodeMap<int> weight_slots_;
  NodeMap<std::vector<int>> data_slots_;
  NodeMap<bool> lets_pairs_move_, moves_into_subgraph_;
  ValueMap<bool> is_float_;
};

}  // namespace detent
