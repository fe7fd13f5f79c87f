#pragma once

#include <map>
#include <string>
#include <vector>

#include "place/draft/draft.h"
#include "lint/reading/qdq_reading.h"

namespace detent {

/// A Q/DQ model as the findings look at it: the graph without its pairs, where they stood, and what the rules of the
/// target would have done.
class LintView {
 public:
  /// `graph` is the model behind reading.float_patch; all arguments must outlive the view. Missing shapes count 0.
  LintView(const Graph& graph, const QdqReading& reading, const Target& target, const ValueShapes& shapes);
  LintView(const LintView&) = delete;
  LintView& operator=(const LintView&) = delete;

  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] const Target& target() const { return target_; }
  [[nodiscard]] const QdqReading& reading() const { return reading_; }
  [[nodiscard]] const QdqNode& qdq(int index) const { return reading_.nodes[static_cast<size_t>(index)]; }

  /// The placement of the file: edges that read a pair, layers that run in INT8 with the reason where they do not.
  [[nodiscard]] const PlacementDraft& found() const { return found_; }
  /// What the rules would do with the graph.
  [[nodiscard]] const PlacementDraft& wanted() const { return wanted_; }
  [[nodiscard]] const PlacementPlan& wanted_plan() const { return wanted_plan_; }
  /// What the rules would do if the layers that are float in the file have to stay so and the others INT8. For TensorRT a
  /// layer between pairs counts as INT8 here whatever their numbers.
  [[nodiscard]] const PlacementDraft& given() const { return given_; }
  [[nodiscard]] const PlacementPlan& given_plan() const { return given_plan_; }
  /// found() as a plan, with coverage.
  [[nodiscard]] const PlacementPlan& found_plan() const { return found_plan_; }
  [[nodiscard]] const ValueShapes& shapes() const { return shapes_; }

  /// nullptr when the slot reads floats.
  [[nodiscard]] const QuantizedOperand* operand(NodeId node, int slot) const;
  /// The last of an operand's pair: what the consumer reads.
  [[nodiscard]] const QdqNode& grid(const QuantizedOperand& operand) const;
  /// The pairs whose numbers an edge carries: its own, or those in front of commuting ops and of Concats with equal
  /// scales on every input. Empty: the edge is float.
  [[nodiscard]] std::vector<const QuantizedOperand*> pairs_in_front(NodeId node, int slot) const;
  [[nodiscard]] bool is_quantized(NodeId node, int slot) const { return !pairs_in_front(node, slot).empty(); }
  /// Operands of the edges on which pairs of `value` stand.
  [[nodiscard]] std::vector<const QuantizedOperand*> pairs_on(ValueId value) const;
  /// Operands that read or write through the node reading().nodes[index].
  [[nodiscard]] std::vector<const QuantizedOperand*> operands_of(int index) const;

  /// Pairs on the layer's data and weight: whoever made the file wanted it in INT8.
  [[nodiscard]] bool is_meant_int8(NodeId layer) const {
    return weight(layer) && is_quantized(layer, data_slot(layer));
  }
  [[nodiscard]] int data_slot(NodeId layer) const { return found_.data_slots(layer).front(); }
  [[nodiscard]] const QuantizedOperand* weight(NodeId layer) const { return operand(layer, found_.weight_slot(layer)); }
  [[nodiscard]] const QuantizedOperand* bias(NodeId layer) const {
    return operand(layer, found_.traits(layer).bias_slot);
  }
  /// Why the engine does not run the weighted op in INT8; empty when it does.
  [[nodiscard]] const std::string& obstacle(NodeId layer) const { return obstacles_[static_cast<size_t>(layer)]; }

  /// Weighted ops that read the value, through commuting ops, Concats and activations.
  [[nodiscard]] std::vector<NodeId> layers_reading(ValueId value) const;
  /// Weighted ops at the operands of reading().nodes[index].
  [[nodiscard]] std::vector<NodeId> layers_of(int index) const;
  /// The weighted op whose output, through ops without weights, is `value`; kNoNode at inputs and where branches meet.
  [[nodiscard]] NodeId layer_writing(ValueId value) const;

 private:
  void place_found_pairs();
  void judge_layers();
  void apply_given_rules();

  const Graph& graph_;
  const QdqReading& reading_;
  const Target& target_;
  const ValueShapes& shapes_;
  PlacementOptions options_, given_options_;
  std::map<std::pair<NodeId, int>, const QuantizedOperand*> operands_;
  PlacementDraft wanted_, found_, given_;
  PlacementPlan wanted_plan_, found_plan_, given_plan_;
  std::vector<std::string> obstacles_;  // by node id
};

/// Same scales, zero points and type of codes: what one reads the other could have written.
[[nodiscard]] bool same_grid(const QdqNode& a, const QdqNode& b);

}  // namespace detent
