#include <algorithm>

#include "detent/error.h"
#include "detent/lint.h"
#include "lint/built_for.h"
#include "lint/finding_list.h"
#include "lint/lint_graph.h"
#include "lint/view/qoperator_layers.h"
#include "model/graph/value_shapes.h"
#include "model/graph_patch.h"
#include "model/model.h"
#include "model/qoperators.h"
#include "pipeline/plan_report.h"
#include "place/plan/placement_plan.h"
#include "prepare/read_model_to_run.h"
#include "prepare/shapes_without_data.h"

namespace detent {
namespace {

bool holds_qoperators(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [](const Node& node) { return is_qoperator(node); });
}

/// Shapes for MACs; where the model cannot run the findings do without, and a note says so.
ValueShapes shapes_or_note(const Graph& graph, const InputShapes& given, std::vector<std::string>& notes) {
  try {
    if (auto shapes = shapes_without_data(graph, given)) return std::move(*shapes);
    notes.emplace_back(kOpenSizes);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::InvalidOption) throw;
    notes.push_back(std::string("MACs and bytes are not counted: ") + error.what());
  }
  return {};
}

void add_qoperator_layers(const Graph& graph, const ValueShapes& shapes, PlacementPlan& plan) {
  for (const LayerDecision& layer : qoperator_layers(graph, shapes, *plan.target)) {
    Coverage& sum = plan.coverage;
    ++sum.layers;
    sum.int8_layers += layer.int8;
    sum.macs += layer.macs;
    sum.int8_macs += layer.int8 ? layer.macs : 0;
    sum.params += layer.params;
    sum.int8_params += layer.int8 ? layer.params : 0;
    plan.layers.push_back(layer);
  }
  std::ranges::sort(plan.layers, {}, &LayerDecision::node);
}

std::string levels_text(const FindingKind& kind) {
  if (kind.tensorrt == kind.onnxruntime) return std::string(name_of(*kind.tensorrt));
  std::string text;
  if (kind.tensorrt) text = std::string(name_of(*kind.tensorrt)) + " on tensorrt";
  if (kind.onnxruntime)
    text += (text.empty() ? "" : ", ") + std::string(name_of(*kind.onnxruntime)) + " on onnxruntime";
  return text;
}

FindingLevel worst_level(const FindingKind& kind) {
  return std::min(kind.tensorrt.value_or(FindingLevel::Note), kind.onnxruntime.value_or(FindingLevel::Note));
}

}  // namespace

std::vector<FindingInfo> known_findings() {
  const auto kinds = finding_list();
  std::vector<FindingKind> sorted(kinds.begin(), kinds.end());
  std::ranges::stable_sort(sorted, {}, worst_level);
  std::vector<FindingInfo> infos;
  for (const FindingKind& kind : sorted)
    infos.push_back({std::string(kind.id), levels_text(kind), std::string(kind.summary)});
  return infos;
}

LintReport lint_model(const LintOptions& options) {
  const Target& target = find_target(options.target);
  Model model = read_runnable_model(options.model);
  const ModelFacts facts = facts_of(model);
  const QdqReading reading = read_qdq(model.graph());
  LintReport report;
  report.origin = holds_qoperators(model.graph()) ? "qoperator" : reading.nodes.empty() ? "float" : "qdq";
  if (!reading.float_patch.empty()) apply_patch(model, reading.float_patch);
  const Graph& graph = model.graph();
  std::vector<std::string> notes;
  const ValueShapes shapes = shapes_or_note(graph, options.shapes, notes);
  LintedGraph linted = lint_graph(graph, reading, target, shapes);
  report.codes = codes_text(reading);
  if (const BuiltFor built = built_for(linted, graph, reading, target, shapes); built.target)
    report.built_for = built.target->name, report.following = built.following;
  add_qoperator_layers(graph, shapes, linted.plan);
  report.plan = describe_plan(linted.plan, graph, options.model.string(), facts, 0);
  report.plan.notes = notes;
  for (auto& [finding, share] : linted.findings)
    report.findings.push_back({std::string(finding.id), std::string(name_of(finding.level)), finding.node,
                               finding.message, finding.cure, share});
  return report;
}

}  // namespace detent
