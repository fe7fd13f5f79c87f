#include <algorithm>

#include "core/text.h"
#include "detent/base/error.h"
#include "detent/explain.h"
#include "detent/lint.h"
#include "explain/cause.h"
#include "explain/differences.h"
#include "explain/explain_layers.h"
#include "explain/predictions.h"
#include "explain/read_engine.h"
#include "lint/view/engine_forecast.h"
#include "lint/view/standalone_pairs.h"
#include "model/model.h"
#include "pipeline/parts/provenance.h"

namespace detent {

namespace {

bool is_onnxruntime(const BuiltEngine& engine) { return engine.form == "onnxruntime"; }

bool is_rockchips(const BuiltEngine& engine) { return engine.form == "rknn"; }

bool is_tensorrt(const BuiltEngine& engine) { return !is_onnxruntime(engine) && !is_rockchips(engine); }

/// Returns the target whose file an engine is.
std::string target_of(const BuiltEngine& engine) {
  if (!is_tensorrt(engine)) return engine.form;
  return engine.strongly_typed ? "tensorrt:11" : "tensorrt";
}

/// Names tensors by the values of a node. ONNX Runtime's profile lists them without names, in the node's order.
void name_tensors(const Graph& graph, std::span<const MaybeValue> values, std::vector<EngineTensor>& tensors) {
  size_t slot = 0;
  for (const ValueId id : present(values)) {
    if (slot == tensors.size()) return;
    EngineTensor& tensor = tensors[slot++];
    if (!graph.value(id).is_constant) tensor.name = graph.value(id).name;
  }
}

/// Connects the layers of ONNX Runtime's profile by the optimized model that ran.
void connect(const Graph& graph, BuiltEngine& engine) {
  for (EngineLayer& layer : engine.layers) {
    const MaybeNode id = graph.find_node(layer.name);
    if (!id) continue;
    name_tensors(graph, graph.node(*id).inputs, layer.inputs);
    name_tensors(graph, graph.node(*id).outputs, layer.outputs);
  }
  for (const auto& ids : {graph.inputs(), graph.outputs()})
    for (const ValueId id : ids) engine.bindings.push_back(graph.value(id).name);
}

/// Reads an engine with its times and, of ONNX Runtime, with what feeds what.
BuiltEngine read_all(const ExplainOptions& options, const std::filesystem::path& layers) {
  BuiltEngine engine = read_engine(layers);
  if (is_onnxruntime(engine)) {
    if (!options.model.empty()) connect(read_model(options.model).graph(), engine);
  } else if (is_tensorrt(engine) && !options.profile.empty() && layers == options.layers) {
    read_times(options.profile, engine);
  }
  return engine;
}

/// Returns the weighted nodes of the model as lint reads them.
std::vector<PredictedNode> predict(const std::filesystem::path& model, const std::string& target) {
  LintOptions lint;
  lint.model = model;
  lint.target = target;
  std::vector<PredictedNode> nodes;
  for (const auto& layer : lint_model(lint).plan.layers) nodes.push_back({layer.name, layer.runs_on_codes()});
  return nodes;
}

/// Predicts fusions, reformats and copies of TensorRT.
void add_forecast(const Graph& file, const std::vector<ExplainReport::Layer>& rows,
                  ExplainReport::Predictions& predictions) {
  std::vector<ExplainReport::Predictions::Fusion> fusions;
  for (NodeFusion& fusion : node_fusions(file))
    fusions.push_back({std::move(fusion.node), std::move(fusion.conv), fusion.fused, true});
  judge_fusions(std::move(fusions), rows, predictions);
  std::vector<PredictedPlace> places;
  for (ReformatPlace& place : reformat_places(file))
    places.push_back({std::move(place.nodes), std::move(place.reason)});
  judge_reformats(places, rows, predictions);
  std::vector<ExplainReport::Predictions::Copy> copies;
  for (ConcatCopy& copy : concat_copies(file))
    copies.push_back({std::move(copy.concat), std::move(copy.value), std::move(copy.reason), true});
  judge_copies(std::move(copies), rows, predictions);
}

void add_predictions(const ExplainOptions& options, const BuiltEngine& engine, ExplainReport& report) {
  try {
    const std::string target = is_tensorrt(engine) ? "tensorrt" : target_of(engine);
    report.predictions = judge_predictions(predict(options.model, target), report.layers);
    if (!is_tensorrt(engine)) return;  // others fold other pairs
    const Model model = read_model(options.model);
    std::vector<std::vector<std::string>> quantizers;
    for (const StandalonePair& pair : standalone_pairs(model.graph())) {
      quantizers.push_back({pair.node});
      quantizers.back().insert(quantizers.back().end(), pair.merged.begin(), pair.merged.end());
    }
    judge_quantizers(quantizers, report.layers, *report.predictions);
    std::vector<PredictedOutput> outputs;
    for (const Int8Product& product : int8_products(model.graph()))
      outputs.push_back({product.node, product.writes_codes});
    judge_outputs(outputs, report.layers, *report.predictions);
    add_forecast(model.graph(), report.layers, *report.predictions);
  } catch (const Error& error) {
    if (!is_onnxruntime(engine)) throw;
    report.notes.push_back(std::string("nothing is predicted: ") + error.what());
  }
}

/// Replaces every `from` in the text.
void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// Returns true for a file that Detent wrote.
bool is_own_file(const std::filesystem::path& model) {
  return !model.empty() && read_provenance(read_model(model)).has_value();
}

/// Puts the user's model and engine into the commands of cures. A file that Detent wrote needs another placement:
/// repair would place the same pairs.
void name_files_in_cures(const ExplainOptions& options, const BuiltEngine& engine, ExplainReport& report) {
  const bool own = is_own_file(options.model);
  const auto name_files = [&](std::string& cure) {
    if (own) replace_all(cure, std::string("; ") + kRepair, ""), replace_all(cure, kRepair, "");
    replace_all(cure, "--target tensorrt", "--target " + target_of(engine));
    if (!options.model.empty()) replace_all(cure, "MODEL.onnx", shell_quoted(options.model.string()));
  };
  for (auto& layer : report.layers) name_files(layer.cure);
  for (auto& advice : report.advice) name_files(advice.cure);
}

std::vector<std::string> notes_on(const BuiltEngine& engine, const ExplainReport& report) {
  std::vector<std::string> notes;
  if (engine.form == "names")
    notes.emplace_back(
        "the file has names only: types are not known; trtexec --profilingVerbosity=detailed writes them");
  if (report.summary.estimated)
    notes.emplace_back(
        "times are estimates: the cycles that the compiler names, at 1 GHz. It names 0 for layers that move or pool, "
        "and "
        "none for those on the chip's CPU");
  if (report.summary.total_ms && is_tensorrt(engine))
    notes.emplace_back(
        "times of single layers add to more than the GPU needs, by 5 to 10 us a layer: shares tell, sums do not");
  if (is_onnxruntime(engine) && report.model.empty())
    notes.emplace_back("the profile does not say which node feeds which: --model with the optimized model does");
  const auto untimed = std::ranges::count_if(report.layers, [](const auto& row) { return !row.ms; });
  if (report.summary.total_ms && untimed > 0 && !report.summary.estimated)
    notes.push_back("the profile has no time of " + plural(static_cast<size_t>(untimed), "layer"));
  return notes;
}

}  // namespace

ExplainReport explain_engine(const ExplainOptions& options) {
  const BuiltEngine engine = read_all(options, options.layers);
  if (!is_tensorrt(engine) && !options.profile.empty())
    throw Error(ErrorCode::Usage, is_onnxruntime(engine)
                                      ? "--profile does not apply to ONNX Runtime: its profile holds layers and times"
                                      : "--profile does not apply to Rockchip's compiler: nothing is timed");
  ExplainReport report;
  report.file = options.layers.string();
  report.model = options.model.string();
  report.form = engine.form;
  auto explained = explain_with_advice(engine);
  report.layers = std::move(explained.rows);
  report.advice = std::move(explained.advice);
  report.summary = summarize(report.layers);
  report.summary.estimated = is_rockchips(engine);
  report.notes = notes_on(engine, report);
  name_files_in_cures(options, engine, report);
  if (!options.model.empty()) add_predictions(options, engine, report);
  if (!options.against.empty()) {
    const BuiltEngine against = read_all(options, options.against);
    report.against = compare_layers(report.layers, explain_layers(against));
    report.against->summary.estimated = is_rockchips(against);
    report.against->file = options.against.string();
  }
  return report;
}

}  // namespace detent
