#pragma once

#include <map>
#include <string>
#include <vector>

#include "rewrite/qdq_inserter.h"

namespace detent::test {

/// A plan written by hand, which the inserter must carry out exactly.
struct PlannedGraph {
  explicit PlannedGraph(const char* text) : PlannedGraph(parse_model_text(text)) {}
  explicit PlannedGraph(Model read) : model(std::move(read)) {}

  [[nodiscard]] const Graph& graph() const { return model.graph(); }
  [[nodiscard]] NodeId node(const char* name) const { return *graph().find_node(name); }

  void pair(const char* consumer, int slot, int group = -1) {
    const NodeId id = node(consumer);
    const ValueId value = *graph().node(id).input(slot);
    plan.edges.push_back({value, id, slot, Reads::Pair, nullptr, "by hand"});
    plan.values[value].pair = true;
    plan.values[value].scale_group = group;
  }
  void weight(const char* consumer, int slot, int axis) {
    const NodeId id = node(consumer);
    plan.weights.push_back({id, slot, *graph().node(id).input(slot), axis});
  }
  void range(const char* value, Range range) { ranges[*graph().find_value(value)] = range; }

  /// Returns the model with the patch applied.
  Model rewritten(const RewriteOptions& options = {}) {
    Rewrite rewrite = make_qdq_patch(graph(), plan, ranges, options);
    warnings = rewrite.warnings;
    paired = rewrite.paired;
    values = rewrite.values;
    Model result = model.clone();
    apply_patch(result, rewrite.patch);
    return result;
  }

  Model model;
  PlacementPlan plan;
  std::map<ValueId, Range> ranges;
  std::vector<std::string> warnings;
  PairedWeights paired;
  std::vector<QuantizedValue> values;
};

inline const Node& producer(const Model& model, const std::string& value) {
  const Node* node = model.graph().producer(*model.graph().find_value(value));
  if (!node) throw Error(ErrorCode::Internal, "nothing produces " + value);
  return *node;
}

/// Returns the name of the value that a node reads in a slot.
inline std::string reads(const Model& model, const char* node, size_t slot) {
  const Graph& graph = model.graph();
  const MaybeValue id = graph.node(*graph.find_node(node)).input(slot);
  return id ? graph.value(*id).name : "";
}

inline const Tensor& constant(const Model& model, const std::string& name) {
  const Tensor* tensor = model.graph().constant(*model.graph().find_value(name));
  if (!tensor) throw Error(ErrorCode::Internal, name + " is not constant");
  return *tensor;
}

inline size_t count(const Model& model, std::string_view op) {
  size_t found = 0;
  for (const Node& node : model.graph().nodes()) found += node.op_type == op;
  return found;
}

}  // namespace detent::test
