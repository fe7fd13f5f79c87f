#include "pipeline/parts/plan_report.h"

#include <algorithm>

#include "model/origin.h"
#include "pipeline/parts/graph_report.h"
#include "place/plan/coverage.h"

namespace detent {

namespace {

std::set<std::string> names_of_casts(const Graph& graph) {
  std::set<std::string> names;
  for (const Node& node : graph.nodes())
    if (node.op_type == "Cast") names.insert(node.name);
  return names;
}

}  // namespace

ModelFacts facts_of(const Model& model) {
  const Graph& graph = model.graph();
  return {graph.opset(),      graph.nodes().size(),  model.byte_size(),
          producer_of(model), names_of_casts(graph), find_graph_faults(graph)};
}

size_t casts_added(const Graph& graph, const ModelFacts& original) {
  const std::set<std::string> casts = names_of_casts(graph);
  return static_cast<size_t>(
      std::ranges::count_if(casts, [&](const std::string& name) { return !original.casts.contains(name); }));
}

CoverageReport describe_coverage(const Coverage& c) {
  return {.layers = c.layers,
          .int8_layers = c.int8_layers,
          .macs = c.macs,
          .int8_macs = c.int8_macs,
          .params = c.params,
          .int8_params = c.int8_params,
          .activation_bytes = c.activation_bytes,
          .int8_activation_bytes = c.int8_activation_bytes,
          .pairs = c.pairs,
          .types = c.types};
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
  report.graph = describe_graph(plan, graph);
  report.notes = plan.notes;
  report.quantized_values = plan.quantized_values().size();
  report.shared_scale_groups = plan.scale_groups().size();
  report.coverage = describe_coverage(plan.coverage);
  report.coverage.type = plan.type;
  return report;
}

void add_floats(PlanReport& report, const FloatReport& floats, const Graph& graph, const PlacementPlan& plan,
                const ModelFacts& original) {
  size_t casts = casts_added(graph, original);
  for (const NodeId inside : casts_inside_pairs(graph, plan))
    casts -= !original.casts.contains(graph.node(inside).name);
  report.floats = floats;
  report.floats->casts = casts;
  report.coverage.casts = static_cast<int64_t>(casts);
}

}  // namespace detent
