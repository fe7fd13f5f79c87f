#include "pipeline/plan_report.h"

#include <algorithm>

#include "model/origin.h"

namespace detent {

namespace {

size_t count_casts(const Graph& graph) {
  return static_cast<size_t>(std::ranges::count(graph.nodes(), std::string("Cast"), &Node::op_type));
}

}  // namespace

ModelFacts facts_of(const Model& model) {
  const Graph& graph = model.graph();
  return {graph.opset(), graph.nodes().size(), model.byte_size(), producer_of(model), count_casts(graph)};
}

size_t casts_added(const Graph& graph, const ModelFacts& original) {
  return std::max(count_casts(graph), original.casts) - original.casts;
}

CoverageReport describe_coverage(const Coverage& c) {
  return {c.layers,           c.int8_layers,           c.macs,  c.int8_macs, c.params, c.int8_params,
          c.activation_bytes, c.int8_activation_bytes, c.pairs, c.types,     0};
}

PlanReport describe_plan(const PlacementPlan& plan, const Graph& graph, const std::string& model_path,
                         const ModelFacts& original, size_t folded_batchnorms) {
  PlanReport report;
  report.model = model_path;
  report.target = plan.target->spec();
  report.opset = original.opset;
  report.nodes = original.nodes;
  report.folded_batchnorms = folded_batchnorms;
  for (const LayerDecision& layer : plan.layers) {
    const Node& node = graph.node(layer.node);
    report.layers.push_back(
        {node.name, node.op_type, layer.int8, name_of(layer.rule), layer.reason, layer.macs, layer.params});
  }
  for (const EdgeDecision& edge : plan.edges) {
    const Node& node = graph.node(edge.consumer);
    report.edges.push_back({graph.value(edge.value).name, node.name, node.op_type, edge.slot, edge.pair,
                            edge.pair && edge.scale_group >= 0 ? std::optional<int>(edge.scale_group) : std::nullopt,
                            name_of(edge.rule), edge.reason});
  }
  report.notes = plan.notes;
  report.quantized_values = plan.quantized_values().size();
  report.shared_scale_groups = plan.scale_groups().size();
  report.coverage = describe_coverage(plan.coverage);
  return report;
}

void add_floats(PlanReport& report, const FloatReport& floats) {
  report.floats = floats;
  report.coverage.casts = static_cast<int64_t>(floats.casts);
}

}  // namespace detent
