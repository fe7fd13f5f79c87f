#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lint/reading/qdq_reading.h"
#include "lint/view/layer_readers.h"
#include "place/draft/draft.h"

namespace detent {

/// The pairs of a Q/DQ model on the graph without them, and the placement that the rules of the target would make.
class PairView {
 public:
  /// graph       the model after reading.float_patch; all arguments except the last must outlive the view. Missing
  ///             shapes count 0.
  /// left_float  reasons for float nodes, from the metadata of a file that Detent made
  PairView(const Graph& graph, const QdqReading& reading, const Target& target, const ValueShapes& shapes,
           const std::map<std::string, std::string>& left_float = {});
  PairView(const PairView&) = delete;
  PairView& operator=(const PairView&) = delete;

  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] const Node& node(NodeId id) const { return graph_.node(id); }
  [[nodiscard]] const Value& value(ValueId id) const { return graph_.value(id); }
  [[nodiscard]] const Node* producer(MaybeValue id) const { return graph_.producer(id); }
  [[nodiscard]] const Target& target() const { return target_; }
  [[nodiscard]] const QdqReading& reading() const { return reading_; }
  [[nodiscard]] const QdqNode& qdq(int index) const { return reading_.nodes[static_cast<size_t>(index)]; }
  [[nodiscard]] const ValueShapes& shapes() const { return shapes_; }
  /// Returns the name of the file's type of codes, for findings: "FP8", else "INT8", also beside 16-bit activations.
  [[nodiscard]] std::string_view codes() const {
    return name_of(options_.type == CodeType::Fp8 ? CodeType::Fp8 : CodeType::Int8);
  }

  [[nodiscard]] const GraphFacts& facts() const { return facts_; }
  /// Returns the placement of the file: edges that read a pair; a LintView adds the layers that run in INT8.
  [[nodiscard]] const PlacementDraft& found() const { return found_; }
  /// Returns the placement that the rules would make for the graph.
  [[nodiscard]] const PlacementDraft& wanted() const { return wanted_; }
  [[nodiscard]] const PlacementPlan& wanted_plan() const { return wanted_plan_; }

  /// Returns nullptr when the slot reads floats.
  [[nodiscard]] const QuantizedOperand* operand(NodeId node, int slot) const;
  /// Returns the node of an operand's pair that the consumer reads: the last one. Its codes are Undefined when the
  /// operand has neither node: a file may hold integers that are never dequantized.
  [[nodiscard]] const QdqNode& grid(const QuantizedOperand& operand) const;
  /// Returns the QuantizeLinear that reads the operand's value itself: of the first pair, where a second one converts
  /// its codes to another width. Without a QuantizeLinear that of grid().
  [[nodiscard]] const QdqNode& first_grid(const QuantizedOperand& operand) const {
    return operand.first >= 0 ? qdq(operand.first) : grid(operand);
  }
  /// Returns the pairs of an edge: its own, or those before commuting ops and before Concats with equal scales on every
  /// input. Empty: the edge is float.
  /// passes  operators of the engine that pass codes on beside commuting ones; empty: none
  [[nodiscard]] std::vector<const QuantizedOperand*> pairs_in_front(NodeId node, int slot,
                                                                    bool (*passes)(const Node&) = nullptr) const;
  [[nodiscard]] bool is_quantized(NodeId node, int slot) const { return !pairs_in_front(node, slot).empty(); }
  /// Returns the operands of the edges with pairs on `value`.
  [[nodiscard]] std::vector<const QuantizedOperand*> pairs_on(MaybeValue value) const;
  /// Returns the operands that read or write through the node reading().nodes[index].
  [[nodiscard]] const std::vector<const QuantizedOperand*>& operands_of(int index) const {
    return operands_of_[static_cast<size_t>(index)];
  }

  /// True when the layer's data and weight have pairs: the file means it to run in INT8.
  [[nodiscard]] bool is_meant_int8(NodeId layer) const {
    return weight(layer) && is_quantized(layer, data_slot(layer));
  }
  [[nodiscard]] int data_slot(NodeId layer) const { return facts_.data_slots(layer).front(); }
  [[nodiscard]] const QuantizedOperand* weight(NodeId layer) const { return operand(layer, facts_.weight_slot(layer)); }
  /// Describes a weight stored as integers while the layer computes in float on purpose: in blocks or of 4 bits, or in
  /// a file without QuantizeLinear. Empty for all other layers.
  [[nodiscard]] std::string weight_alone(NodeId layer) const;
  [[nodiscard]] const QuantizedOperand* bias(NodeId layer) const {
    return operand(layer, facts_.traits(layer).bias_slot);
  }

  /// Returns the weighted ops that read the value, through commuting ops, Concats and activations: the first
  /// LayerReaders::kMost.
  [[nodiscard]] const std::vector<NodeId>& layers_reading(MaybeValue value) const { return readers_.of(value); }
  /// Returns the weighted ops at the operands of reading().nodes[index].
  [[nodiscard]] std::vector<NodeId> layers_of(int index) const;
  /// Returns the weighted op whose output, through ops without weights, is `value`; kNoNode at inputs and where
  /// branches meet.
  [[nodiscard]] MaybeNode layer_writing(MaybeValue value) const;

 protected:
  ~PairView() = default;
  [[nodiscard]] PlacementDraft& found_draft() { return found_; }

 private:
  void place_found_pairs();

  const Graph& graph_;
  const QdqReading& reading_;
  const Target& target_;
  const ValueShapes& shapes_;
  PlacementRequest options_;
  std::map<std::pair<NodeId, int>, const QuantizedOperand*> operands_;
  std::vector<std::vector<const QuantizedOperand*>> operands_of_;  // by index in reading_.nodes
  GraphFacts facts_;
  PlacementDraft wanted_, found_;
  PlacementPlan wanted_plan_;
  LayerReaders readers_;
  bool quantizes_;  // whether the file has a QuantizeLinear
};

/// True when the engine reads the node's UINT8 as INT8: with zero points of 0 and codes that are not constant.
[[nodiscard]] bool is_read_as_int8(const PairView& view, const QdqNode& node);

}  // namespace detent
