#include "pipeline/parts/plan_report.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/float_type.h"
#include "detent/reports/graph_report.h"
#include "lint/view/linted_file.h"
#include "model/origin.h"
#include "model/qoperators.h"
#include "place/plan/coverage.h"

namespace detent {

namespace {

/// The type that each node computes in.
class NodeTypes {
 public:
  NodeTypes(const PlacementPlan& plan, const Graph& graph)
      : plan_(plan), graph_(graph), types_(LintedFile(graph).types) {}

  [[nodiscard]] NodeType of(const Node& node) const {
    const LayerDecision* layer = plan_.find_layer(node.id);
    if (layer ? layer->runs_on_codes() : is_between_pairs(node)) return NodeType::Codes;
    switch (node.output(0) ? type_of(*node.output(0)) : DataType::Undefined) {
      case DataType::Float16: return NodeType::Float16;
      case DataType::BFloat16: return NodeType::BFloat16;
      case DataType::Float32:
      case DataType::Float64: return NodeType::Float32;
      default: return NodeType::Other;
    }
  }

 private:
  [[nodiscard]] DataType type_of(ValueId value) const { return types_[value]; }
  [[nodiscard]] bool is_float(ValueId value) const { return is_floating_point(type_of(value)); }

  [[nodiscard]] bool is_between_pairs(const Node& node) const {
    bool any = false;
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      const MaybeValue value = node.inputs[slot];
      if (!value || graph_.value(*value).is_constant || !is_float(*value)) continue;
      const EdgeDecision* edge = plan_.find_edge(node.id, static_cast<int>(slot));
      if (!edge || !edge->reads_pair()) return false;
      any = true;
    }
    return any && std::ranges::all_of(present(node.outputs), [&](ValueId value) {
             return is_float(value) && plan_.only_pairs_read(graph_.value(value));
           });
  }

  const PlacementPlan& plan_;
  const Graph& graph_;
  ValueMap<DataType> types_;
};

/// Describes the graph of the plan with the type of each node. A graph without nodes gives an empty report.
GraphReport describe_graph(const PlacementPlan& plan, const Graph& graph) {
  const NodeTypes types(plan, graph);
  GraphReport report;
  const auto drawn = [&](MaybeValue value) {
    return value && !graph.value(*value).is_constant ? graph.value(*value).name : std::string();
  };
  for (const Node& node : graph.nodes()) {
    if (node.op_type == "Constant" && node.domain.empty()) continue;
    GraphReport::Node shown{node.name, node.op_type, types.of(node), {}, {}};
    for (const MaybeValue value : node.inputs) shown.inputs.push_back(drawn(value));
    for (const ValueId value : graph.captured_by(node)) shown.inputs.push_back(drawn(value));
    for (const MaybeValue value : node.outputs) shown.outputs.push_back(drawn(value));
    report.nodes.push_back(std::move(shown));
  }
  for (const ValueId value : graph.outputs()) report.outputs.push_back(drawn(value));
  return report;
}

/// Returns the Casts, without those of the sums of codes.
std::set<std::string> names_of_casts(const Graph& graph) {
  std::set<std::string> names;
  for (const Node& node : graph.nodes()) {
    const Node* before = node.op_type == "Cast" ? graph.producer(node.input(0)) : nullptr;
    if (node.op_type == "Cast" && !(before && is_qoperator(*before))) names.insert(node.name);
  }
  return names;
}

// Counts caches and hidden states: "conv_cache" and "conv_cache_out", "past.0" and "past.0_next", of one shape.
size_t count_states(const Graph& graph) {
  const auto is_state = [&](ValueId output) {
    const Value& written = graph.value(output);
    return std::ranges::any_of(graph.inputs(), [&](ValueId input) {
      const Value& read = graph.value(input);
      return written.declared_shape && written.declared_shape == read.declared_shape &&
             written.name.starts_with(read.name);
    });
  };
  return static_cast<size_t>(std::ranges::count_if(graph.outputs(), is_state));
}

PlanReport::Attention describe(const AttentionDecision& decision, const Graph& graph) {
  const AttentionBlock& block = decision.block;
  const auto count = [](int64_t extent) { return static_cast<size_t>(extent); };
  return {.first_product = graph.node(block.first).name,
          .softmax = graph.node(block.softmax).name,
          .second_product = graph.node(block.second).name,
          .heads = count(block.sizes.heads),
          .head_size = count(block.sizes.head_size),
          .queries = count(block.sizes.queries),
          .keys = count(block.sizes.keys),
          .masked = !block.masks.empty(),
          .rotary = block.rotary,
          .grouped = block.grouped,
          .runs = decision.runs,
          .rule = name_of(decision.rule),
          .reason = decision.reason,
          .otherwise = decision.otherwise,
          .macs = decision.macs};
}

}  // namespace

ModelFacts facts_of(const Model& model) {
  const Graph& graph = model.graph();
  return {graph.opset(),         graph.nodes().size(), model.byte_size(),       producer_of(model),
          names_of_casts(graph), count_states(graph),  find_graph_faults(graph)};
}

size_t casts_added(const Graph& graph, const ModelFacts& original) {
  const std::set<std::string> casts = names_of_casts(graph);
  return static_cast<size_t>(
      std::ranges::count_if(casts, [&](const std::string& name) { return !original.casts.contains(name); }));
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
        {node.name, node.op_type, layer.runs, name_of(layer.rule), layer.reason, layer.macs, layer.params});
  }
  for (const EdgeDecision& edge : plan.edges) {
    const Node& node = graph.node(edge.consumer);
    const int group = edge.reads_pair() ? plan.about(edge.value).scale_group : -1;
    report.edges.push_back({graph.value(edge.value).name, node.name, node.op_type, edge.slot, edge.reads,
                            group >= 0 ? std::optional(group) : std::nullopt, name_of(edge.rule), edge.reason,
                            plan.codes_of(edge), edge.overruled ? name_of(edge.overruled) : ""});
  }
  for (const WideNode& wide : plan.wide_nodes)
    report.wide_nodes.push_back(
        {graph.node(wide.node).name, graph.node(wide.node).op_type, name_of(wide.rule), wide.reason});
  for (const AttentionDecision& decision : plan.attention) report.attention.push_back(describe(decision, graph));
  report.graph = describe_graph(plan, graph);
  report.notes = plan.notes;
  report.quantized_values = plan.paired_values().size();
  report.shared_scale_groups = plan.scale_groups().size();
  report.coverage = plan.coverage;
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
