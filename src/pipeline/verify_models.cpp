#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "core/files/reach.h"
#include "core/stop.h"
#include "datasets/base/tensor_pb.h"
#include "detections/average_precision.h"
#include "detections/graph_layout.h"
#include "detent/base/error.h"
#include "detent/base/progress.h"
#include "detent/verify.h"
#include "evaluate/compare_tensors.h"
#include "evaluate/paired_detections.h"
#include "exec/executor.h"
#include "exec/find_shapes.h"
#include "exec/schedule.h"
#include "model/model.h"
#include "ops/find_operator.h"
#include "prepare/read_model_to_run.h"
#include "run/for_each_index.h"
#include "run/workers.h"

namespace detent {

namespace {

namespace fs = std::filesystem;
using Line = VerifyReport::Line;

std::vector<fs::path> find_models(const fs::path& folder) {
  if (!is_folder(folder)) {
    const std::string why = no_reach(folder);
    throw Error(ErrorCode::InvalidData, folder.string() + ": " + (why.empty() ? "is not a folder" : why));
  }
  std::error_code error;
  std::vector<fs::path> models;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".onnx") models.push_back(entry->path());
  if (error) throw Error(ErrorCode::InvalidData, folder.string() + ": cannot list the folder: " + error.message());
  std::sort(models.begin(), models.end());
  if (models.empty()) throw Error(ErrorCode::InvalidData, folder.string() + ": holds no .onnx file");
  return models;
}

PbForm form_of(const Value& value) {
  if (value.is_optional) return PbForm::Optional;
  return value.declared_type == DataType::Sequence ? PbForm::Sequence : PbForm::Tensor;
}

/// Reads input_0.pb, input_1.pb ...; `declared` are the inputs or outputs that they belong to.
std::vector<Tensor> read_numbered(const fs::path& folder, const std::string& stem, const Graph& graph,
                                  std::span<const ValueId> declared) {
  std::vector<Tensor> values;
  for (size_t i = 0; is_there(folder / (stem + std::to_string(i) + ".pb")); ++i) {
    const PbForm form = i < declared.size() ? form_of(graph.value(declared[i])) : PbForm::Tensor;
    values.push_back(read_value_pb(folder / (stem + std::to_string(i) + ".pb"), form));
  }
  return values;
}

/// Tolerance of outputs relative to the largest magnitude where the inputs of an FP16 model are the FP32 data of its
/// original, cast to FP16.
constexpr double kHalfTolerance = 2e-2;

/// Returns bfloat16 from uint16: NumPy has no bfloat16, so upstream's files hold plain 16-bit words.
Tensor as_bfloat16(const Tensor& tensor, DataType wanted) {
  return wanted == DataType::BFloat16 && tensor.type() == DataType::UInt16 ? tensor.reinterpreted(wanted) : tensor;
}

bool fit_inputs(const Graph& graph, std::vector<Tensor>& inputs) {
  bool narrowed = false;
  for (size_t i = 0; i < std::min(inputs.size(), graph.inputs().size()); ++i) {
    const auto declared = graph.value(graph.inputs()[i]).declared_type;
    if (declared) inputs[i] = as_bfloat16(inputs[i], *declared);
    if (!declared || *declared != DataType::Float16 || inputs[i].type() != DataType::Float32) continue;
    inputs[i] = cast(inputs[i], *declared);
    narrowed = true;
  }
  return narrowed;
}

/// Refuses models that cannot run before any data is read.
void refuse_unknown_inputs(const Graph& graph) {
  for (const ValueId input : graph.inputs())
    if (!graph.value(input).declared_type)
      throw Error(ErrorCode::Unsupported, "input '" + graph.value(input).name +
                                              "' is not a tensor, sequence or optional of a supported element type");
}

/// Adds a detail once, if all data sets share it.
void add_detail(Line& line, const std::string& text) {
  if (line.detail.find(text) == std::string::npos) line.detail += (line.detail.empty() ? "" : " ") + text;
}

/// Returns the mAP of a detector's outputs with the expected detections above .5 as the truth; nullopt for other
/// networks and where nothing is detected. Agreement shows whether a difference matters to users.
std::optional<double> detections_agree(const Graph& graph, std::span<const Tensor> inputs,
                                       std::span<const Tensor> expected, std::span<const Tensor> got) {
  if (!may_hold_detections(graph) || got[0].shape().rank() == 0) return std::nullopt;
  const auto layout = find_detections(graph, find_shapes(graph, inputs));
  if (!layout) return std::nullopt;
  std::vector<std::string> names;
  for (const ValueId output : graph.outputs().first(got.size())) names.push_back(graph.value(output).name);
  const auto samples = static_cast<size_t>(got[0].shape()[0]);
  const auto pairs = PairedDetections::of(*layout, names, expected, got, samples, input_size(inputs));
  MatchedDetections matched;
  for (size_t n = 0; pairs && n < samples; ++n) matched += pairs->match_shown(n);
  const auto precision = average_precision(matched);
  return precision ? std::optional(precision->map) : std::nullopt;
}

/// Compares one data set. The line keeps the first data set that differs, its first wrong output, and how many are
/// wrong.
void compare_data_set(const Schedule& schedule, const fs::path& data_set, Tolerance tolerance, Line& line) {
  const Graph& graph = schedule.graph();
  std::vector<Tensor> inputs = read_numbered(data_set, "input_", graph, graph.inputs());
  const bool narrowed = fit_inputs(graph, inputs);
  if (narrowed) {
    tolerance.atol = std::max(tolerance.atol, kHalfTolerance);
    add_detail(line, "(float16 model against float data: within 2e-2)");
  }
  const std::vector<Tensor> expected = read_numbered(data_set, "output_", graph, graph.outputs());
  std::vector<ValueId> wanted(graph.outputs().begin(), graph.outputs().end());
  if (expected.empty()) throw Error(ErrorCode::InvalidData, data_set.filename().string() + " holds no output_0.pb");
  if (expected.size() > wanted.size())
    throw Error(ErrorCode::InvalidData, data_set.filename().string() + " holds " + std::to_string(expected.size()) +
                                            " outputs, the model has " + std::to_string(wanted.size()));
  if (expected.size() < wanted.size())
    add_detail(line, "(" + std::to_string(expected.size()) + " of " + std::to_string(wanted.size()) +
                         " outputs compared: there are no data for the others)");
  wanted.resize(expected.size());
  OutputKeeper keeper(graph, wanted);
  Executor(schedule).run(inputs, keeper);
  const std::vector<Tensor> got = keeper.take();
  std::string difference;
  size_t wrong = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const bool widen = narrowed && got[i].type() == DataType::Float16;
    const TensorComparison result = compare_tensors(as_bfloat16(expected[i], got[i].type()),
                                                    widen ? cast(got[i], DataType::Float32) : got[i], tolerance);
    line.worst_relative_error = std::max(line.worst_relative_error, result.worst_relative_error);
    if (result.same || line.outcome == Line::Outcome::Failed) continue;
    if (wrong++ == 0) {
      difference =
          data_set.filename().string() + ", output '" + graph.value(wanted[i]).name + "': " + result.difference;
      if (const MaybeNode producer = graph.value(wanted[i]).producer) line.operators = {graph.node(*producer).op_type};
    }
  }
  if (wrong == 0) return;
  line.outcome = Line::Outcome::Failed;
  if (wanted.size() > 1)
    difference += " (" + std::to_string(wrong) + " of " + std::to_string(wanted.size()) + " outputs)";
  line.detection_agreement = detections_agree(graph, inputs, expected, got);
  if (line.detection_agreement)
    difference +=
        fmt::format("; its detections agree with the stored ones to {:.1f} % mAP", 100 * *line.detection_agreement);
  line.detail = difference;
}

/// Returns the operator types that cannot run, each once.
std::vector<std::string> unsupported_operators(const Graph& graph) {
  std::vector<NodeId> nodes;
  for (const Node& node : graph.nodes()) nodes.push_back(node.id);
  std::set<std::string> names;
  for (const UnsupportedNode& item : find_unsupported(graph, nodes)) names.insert(graph.node(item.node).op_type);
  return {names.begin(), names.end()};
}

Line verify_one(const fs::path& folder, const fs::path& path, const Tolerance& tolerance, CpuProducts products) {
  Line line;
  line.folder = folder.string();
  line.model = path.filename().string();
  try {
    const Model model = read_runnable_model(path);
    const auto data_sets = find_test_data_sets(folder);
    if (data_sets.empty()) throw Error(ErrorCode::InvalidData, "there is no test_data_set_0 to compare with");
    const Graph& graph = model.graph();
    line.operators = unsupported_operators(graph);
    if (line.operators.empty() && graph.nodes().size() == 1) line.operators = {graph.nodes().front().op_type};
    refuse_unknown_inputs(graph);
    const Schedule schedule(graph, graph.outputs(), {.products = products});
    for (const fs::path& data_set : data_sets) compare_data_set(schedule, data_set, tolerance, line);
    if (line.outcome == Line::Outcome::Passed) line.operators.clear();
  } catch (const Error& error) {
    line.outcome = error.code() == ErrorCode::Unsupported ? Line::Outcome::Unsupported : Line::Outcome::Failed;
    line.detail = error.what();
  }
  return line;
}

}  // namespace

VerifyReport verify_models(const VerifyOptions& options) {
  const StopScope stop(options.run.stop);
  std::vector<std::pair<fs::path, fs::path>> jobs;
  for (const fs::path& folder : options.folders)
    for (const fs::path& model : find_models(folder)) jobs.emplace_back(folder, model);
  VerifyReport report;
  report.lines.resize(jobs.size());
  const Tolerance tolerance{options.rtol, options.atol};
  Reporter& reporter = *options.run.reporter;
  reporter.begin("verifying", jobs.size());
  std::atomic<size_t> done{0};
  for_each_index(jobs.size(), worker_count(options.run), [&](size_t i) {
    if (stop_requested()) return;
    report.lines[i] = verify_one(jobs[i].first, jobs[i].second, tolerance, options.run.products);
    reporter.advance_to(++done);
  });
  reporter.end();
  stop_if_interrupted();
  for (const Line& line : report.lines) {
    report.passed += line.outcome == Line::Outcome::Passed;
    report.failed += line.outcome == Line::Outcome::Failed;
    report.unsupported += line.outcome == Line::Outcome::Unsupported;
  }
  return report;
}

}  // namespace detent
