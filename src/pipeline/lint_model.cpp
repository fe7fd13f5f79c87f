#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/stop.h"
#include "detent/base/error.h"
#include "detent/lint.h"
#include "exec/runnable_part.h"
#include "half/half_values.h"
#include "lint/built_for.h"
#include "lint/finding_list.h"
#include "lint/lint_graph.h"
#include "lint/view/qoperator_layers.h"
#include "model/graph/value_shapes.h"
#include "model/graph_patch.h"
#include "model/model.h"
#include "model/qoperators.h"
#include "pipeline/parts/identified_samples.h"
#include "pipeline/parts/plan_report.h"
#include "pipeline/parts/prepared.h"
#include "pipeline/parts/provenance.h"
#include "pipeline/parts/renamed_shapes.h"
#include "pipeline/parts/saturation.h"
#include "pipeline/parts/speed_outlook.h"
#include "place/draft/float_layers.h"
#include "place/engines/target_versions.h"
#include "place/plan/coverage.h"
#include "prepare/fold_weights.h"
#include "prepare/read_model_to_run.h"
#include "prepare/shapes_without_data.h"
#include "prepare/subgraph_models.h"
#include "rewrite/integer_gates.h"
#include "run/open_samples.h"

namespace detent {
namespace {

constexpr std::array<std::string_view, 3> kLevels{"error", "warning", "note"};  // worst first

/// Returns shapes for MACs; empty, with a note, where the model cannot run. A pair may read FP32 and give FP16: such a
/// model runs only with its pairs, as `file`.
ValueShapes shapes_or_note(const Graph& graph, const Graph& file, const InputShapes& given,
                           std::vector<std::string>& notes) {
  for (const Graph* one : {&graph, &file}) {
    try {
      if (const auto shapes = shapes_without_data(*one, given)) return renamed(*shapes, *one, graph);
      notes.emplace_back(kOpenSizes);
      return {};
    } catch (const Error& error) {
      if (error.code() == ErrorCode::InvalidOption) throw;
      if (one == &file) notes.push_back(std::string("MACs and bytes are not counted: ") + error.what());
    }
  }
  return {};
}

/// True when Detent wrote the file and its float types were chosen: by --float-type, also fp32, or by the default of a
/// target that measures them.
bool chose_types(const Model& model) {
  const auto provenance = read_provenance(model);
  if (!provenance) return false;
  if (provenance->options.find("float-type=") != std::string::npos) return true;
  return std::ranges::any_of(target_list(), [&](const Target& target) {
    return target.spec() == provenance->target && target.float_type != FloatType::Fp32;
  });
}

/// Reads the file and, with data, measures its values; the report gets the samples.
LintedFile read_file(const Model& model, const LintOptions& options, const SampleRequest& data, const Target& target,
                     LintReport& report) {
  LintedFile file(model.graph());
  file.types_chosen = chose_types(model);
  if (auto provenance = read_provenance(model)) file.left_float = std::move(provenance->float_layers);
  if (!data.given()) return file;
  if (!target.strongly_typed && !target.saturates_without_vnni)
    throw Error(ErrorCode::Usage,
                "--data does not apply to " + target.spec() + ": lint measures 16-bit floats and saturating products",
                "--target tensorrt:11, onnxruntime or openvino:cpu");
  const IdentifiedSamples samples(open_samples(data, model));
  if (target.strongly_typed) file.measured = measure_half_values(file.graph, samples, options.run);
  if (target.saturates_without_vnni) file.cpu_loss = measure_cpu_loss(model, samples, options.run);
  report.plan.samples = samples.count();
  report.plan.sample_digest = samples.digest();
  return file;
}

void add_qoperator_layers(const Graph& graph, const ValueShapes& shapes, PlacementPlan& plan) {
  for (const LayerDecision& layer : qoperator_layers(graph, shapes, *plan.target)) {
    count_layer(layer, plan);
    plan.layers.push_back(layer);
  }
  std::ranges::sort(plan.layers, {}, &LayerDecision::node);
}

/// True when the node's graphs, or deeper ones, hold pairs.
bool holds_pairs(const Node& node) {
  return std::ranges::any_of(node.attributes, [](const Attribute& attribute) {
    const auto* held = std::get_if<std::shared_ptr<const Graph>>(&attribute.value);
    return held && std::ranges::any_of((*held)->nodes(),
                                       [&](const Node& inner) { return is_qdq(**held, inner) || holds_pairs(inner); });
  });
}

/// A model without its pairs, and the places of the pairs.
struct Reading {
  QdqReading pairs;
  std::optional<Model> without_pairs;

  explicit Reading(const Model& written) : pairs(read_qdq(written.graph())) {
    if (pairs.float_patch.empty()) return;
    without_pairs = written.clone();
    apply_patch(*without_pairs, pairs.float_patch);
  }
  [[nodiscard]] const Graph& graph(const Model& written) const {
    return without_pairs ? without_pairs->graph() : written.graph();
  }
};

void add_findings(const std::vector<LintedGraph::Found>& findings, const std::string& place, LintReport& report) {
  for (const auto& [finding, share] : findings)
    report.findings.push_back({std::string(finding.id), std::string(name_of(finding.level)), finding.node,
                               place + finding.message, finding.cure, share});
}

void add_coverage(const CoverageReport& more, CoverageReport& sum) {
  sum.layers += more.layers;
  sum.int8_layers += more.int8_layers;
  sum.params += more.params;
  sum.int8_params += more.int8_params;
  sum.embedding_params += more.embedding_params;
  sum.int8_embedding_params += more.int8_embedding_params;
  sum.pairs += more.pairs;
}

/// Removes a node with inner graphs from the plan, which counts it as one layer: its graphs are counted one by one.
void take_holder_away(const Node& holder, PlanReport& plan) {
  const auto row = std::ranges::find(plan.layers, holder.name, &PlanReport::Layer::name);
  if (row == plan.layers.end()) return;
  --plan.coverage.layers;
  plan.coverage.params -= row->params;
  plan.layers.erase(row);
}

/// Lints the graphs inside nodes that hold pairs and adds their findings and layers. Sizes are not known there.
void lint_inside(const Model& written, const Target& target, const std::string& place, LintReport& report) {
  look_at_subgraphs(written, holds_pairs, [&](const Node& holder, const Model& body) {
    Model inner = body.clone();
    static_cast<void>(fold_weights(inner));
    take_holder_away(holder, report.plan);
    const std::string inside = place + "inside " + holder.op_type + " '" + holder.name + "': ";
    const Reading reading(inner);
    const Graph& graph = reading.graph(inner);
    LintedGraph linted = lint_graph(graph, reading.pairs, target, {}, LintedFile(inner.graph()));
    add_qoperator_layers(graph, {}, linted.plan);
    add_findings(linted.findings, inside, report);
    const PlanReport plan = describe_plan(linted.plan, graph, {}, facts_of(inner), 0);
    report.plan.layers.insert(report.plan.layers.end(), plan.layers.begin(), plan.layers.end());
    add_coverage(plan.coverage, report.plan.coverage);
    lint_inside(inner, target, inside, report);
  });
}

FindingLevel worst_level(const FindingKind& kind) {
  FindingLevel worst = FindingLevel::Note;
  for (const EngineDef* engine : engine_list()) worst = std::min(worst, kind.level(engine->id).value_or(worst));
  return worst;
}

/// Returns "error" where all engines agree whose pairs stand for INT8 kernels between floats, else "error on tensorrt".
std::string levels_text(const FindingKind& kind) {
  if (kind.strongly_typed_only()) return std::string(name_of(worst_level(kind))) + " on strongly typed targets";
  std::optional<std::optional<FindingLevel>> common;
  bool alike = true;
  for (const EngineDef* engine : engine_list()) {
    if (engine->whole_graph || !engine->takes_pairs) continue;
    alike &= !common || *common == kind.level(engine->id);
    common = kind.level(engine->id);
  }
  alike &= common->has_value();
  std::string text = alike ? std::string(name_of(**common)) : "";
  std::set<std::string> listed;
  for (const EngineDef* engine : engine_list()) {
    const auto level = kind.level(engine->id);
    if (!level || (alike && level == *common)) continue;
    const std::string words = std::string(name_of(*level)) + " on " + std::string(engine->family);
    if (listed.insert(words).second) text += (text.empty() ? "" : ", ") + words;
  }
  return text;
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
  const StopScope stop(options.run.stop);
  const RequestedSamples samples = requested_samples(options.data, nullptr, options.run);
  const Target& target = find_target(options.target);
  Model written = read_runnable_model(options.model);
  const ModelFacts facts = facts_of(written);
  static_cast<void>(fold_weights(written));  // exporters compute scales, zero points and weights
  restore_float_gates(written);
  LintReport report;
  const LintedFile file = read_file(written, options, samples.data, target, report);
  const Reading reading(written);
  const bool inner_pairs = std::ranges::any_of(file.graph.nodes(), holds_pairs);
  report.origin = !integer_operators_text(file.graph).empty()   ? "qoperator"
                  : reading.pairs.nodes.empty() && !inner_pairs ? "float"
                                                                : "qdq";
  std::vector<std::string> notes;
  if (std::string note = target_note(options.target); !note.empty()) notes.push_back(std::move(note));
  const Graph& graph = reading.graph(written);
  const ValueShapes shapes = shapes_or_note(graph, file.graph, options.shapes, notes);
  LintedGraph linted = lint_graph(graph, reading.pairs, target, shapes, file);
  report.codes = codes_text(reading.pairs);
  if (const BuiltFor built = built_for(linted, graph, reading.pairs, target, shapes, file); built.target)
    report.built_for = *built.target->engine.name, report.following = built.following;
  const int64_t macs_of_pairs = linted.plan.coverage.macs;
  add_qoperator_layers(graph, shapes, linted.plan);
  const double of_all = linted.plan.coverage.macs == 0
                            ? 1
                            : static_cast<double>(macs_of_pairs) / static_cast<double>(linted.plan.coverage.macs);
  for (LintedGraph::Found& found : linted.findings) found.mac_share *= of_all;
  const PlanReport read =
      std::exchange(report.plan, describe_plan(linted.plan, graph, options.model.string(), facts, 0));
  report.plan.samples = read.samples;
  report.plan.sample_digest = read.sample_digest;
  if (std::string text = float64_text(graph, name_of(reading.pairs.type())); !text.empty())
    notes.push_back(std::move(text));
  if (const RunnablePart runnable(graph); !runnable.unsupported().empty())
    notes.push_back(cannot_run_text(graph, runnable.unsupported()) +
                    ": nothing behind it is measured, and MACs there are not counted");
  if (const Node* holder = find_quantized_body(file.graph))
    notes.push_back("MACs inside " + holder->op_type + " '" + holder->name +
                    "' are not counted: sizes are not known there");
  if (report.origin == "float") std::erase(notes, kOpenSizes);  // nothing is counted
  report.plan.notes = notes;
  if (target.engine.fast_in_half && linted.plan.type == CodeType::Int8 && report.plan.coverage.pairs > 0)
    add_outlook(file.graph, named_sizes(graph, shapes), report.plan);
  add_findings(linted.findings, "", report);
  lint_inside(written, target, "", report);
  std::ranges::stable_sort(report.findings, {}, [](const LintReport::Finding& finding) {
    return std::ranges::find(kLevels, finding.level) - kLevels.begin();
  });
  return report;
}

}  // namespace detent
