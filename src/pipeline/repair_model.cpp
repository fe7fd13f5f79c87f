#include "detent/repair.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "core/files/atomic_file.h"
#include "core/files/mapped_file.h"
#include "core/stop.h"
#include "core/stopwatch.h"
#include "detent/base/error.h"
#include "evaluate/closing_error.h"
#include "evaluate/judge.h"
#include "evaluate/task_judge.h"
#include "model/graph_patch.h"
#include "model/qoperators.h"
#include "model/write_shown_model.h"
#include "options/command_inputs.h"
#include "pipeline/parts/closing_steps.h"
#include "pipeline/parts/plan_report.h"
#include "pipeline/parts/prepared.h"
#include "pipeline/parts/provenance.h"
#include "pipeline/parts/repair_plan.h"
#include "pipeline/parts/repaired_pairs.h"
#include "pipeline/parts/written_file.h"
#include "prepare/fold_weights.h"
#include "prepare/read_model_to_run.h"
#include "rewrite/check_qdq_file.h"
#include "rewrite/integer_gates.h"
#include "rewrite/qdq_inserter.h"
#include "run/open_samples.h"

namespace detent {

namespace {

/// True for a file that Detent wrote for this target, and in which lint finds nothing: it stays. Options, measured
/// samples and bounds decided where its pairs stand, which the file alone does not show.
bool is_own(const Model& model, const Target& target, const LintReport& lint) {
  const auto origin = read_provenance(model);
  return origin && origin->target == target.spec() && lint.count("error") + lint.count("warning") == 0;
}

/// Lists the pairs of such a file.
void describe_own(const Graph& graph, RepairReport& report) {
  for (const QdqNode& node : read_qdq(graph).nodes) {
    if (node.quantizes && node.role == QdqRole::Activation)
      report.pairs.push_back({graph.value(*graph.node(*graph.find_node(node.name)).input(0)).name, "kept", "",
                              "Detent placed it for this target", ""});
    report.weights_kept += !node.quantizes && node.role == QdqRole::Weight;
  }
}

/// True when nothing has to change.
bool stands_right(const RepairPlan& repair, const RepairReport& report, const Graph& written) {
  const DataType narrow = repair.format.activation.type, wide = code_format(narrow).wide;
  const std::set<std::string> weights = repair.constant_weights();
  const auto is_other = [&](const auto& pair) {  // some values of a target with zero points have none (V3)
    if (weights.contains(pair.first)) return false;
    const MaybeValue value = repair.graph().find_value(pair.first);
    const DataType codes = value && repair.plan.about(*value).wide ? wide : narrow;
    const auto range = value ? repair.ranges.find(*value) : repair.ranges.end();
    return pair.second->codes !=
           (range == repair.ranges.end() ? codes : repair.plan.code_type(*value, range->second, codes));
  };
  const auto stays = [&](const QdqNode& node) {
    const Graph& graph = repair.trained.model.graph();
    const MaybeNode found = graph.find_node(node.name);
    return found && is_qdq(graph, graph.node(*found));
  };
  const auto other_codes = [&](const QdqNode& node) {
    if (stays(node)) return false;  // for a body
    const auto has_them = [&](const auto& pair) { return pair.second->codes == node.codes && !is_other(pair); };
    return node.role != QdqRole::Bias && node.role != QdqRole::Weight && node.codes != narrow &&
           std::ranges::none_of(repair.trained.values, has_them);
  };
  const auto other_form = [&](const QdqNode& node) {  // TensorRT 8 wants float weights with a full pair
    const bool pair = node.role == QdqRole::Weight && !node.is_weight_alone();
    return pair && node.int8_constant && !repair.format.int8_weights && !stays(node);
  };
  const auto in_pair = [&](const LintReport::Finding& finding) {  // at a node that is written anew, or goes
    const std::string& node = finding.node;
    return written.find_node(node) && !repair.trained.model.graph().find_node(node) && finding.level != "note";
  };
  const auto may_saturate = [&](const WeightDecision& weight) {  // as INT8; not as UINT8
    const auto pair = repair.trained.weights.find({repair.graph().node(weight.node).name, weight.slot});
    return pair != repair.trained.weights.end() && pair->second.grid->codes != DataType::UInt8 &&
           repair.format.uint8_weights.contains(repair.graph().value(weight.value).name);
  };
  return std::ranges::none_of(report.before.findings, in_pair) &&
         std::ranges::none_of(repair.plan.weights, may_saturate) &&
         std::ranges::all_of(report.pairs, [](const auto& pair) { return pair.action == "kept"; }) &&
         repair.weights.anew.empty() && std::ranges::none_of(repair.trained.values, is_other) &&
         std::ranges::none_of(repair.trained.reading.nodes, other_codes) &&
         std::ranges::none_of(repair.trained.reading.nodes, other_form);
}

/// Returns the provenance, which shows `lint` that layers are float on purpose.
Provenance origin_of_repair(const RepairPlan& repair, const Model& written) {
  Provenance origin = read_provenance(written).value_or(Provenance{});
  if (origin.producer.empty()) origin.source_producer = facts_of(written).producer;
  origin.target = repair.target.spec(), origin.options = "repair";
  origin.float_layers.insert(repair.facts.costly.begin(), repair.facts.costly.end());
  return origin;
}

/// Returns the model with the pairs of the plan, checked.
Model rewritten(RepairPlan& repair, const Model& written) {
  Model model = std::move(repair.model);
  PromisedFile promised = promise_of(model.graph(), repair.plan);
  const Rewrite rewrite = make_qdq_patch(model.graph(), repair.plan, repair.ranges, repair.format);
  apply_patch(model, rewrite.patch);
  if (const GraphPatch casts = take_unread_casts(model.graph()); !casts.empty()) {
    apply_patch(model, casts);
    promised.rename({}, {casts.remove_nodes.begin(), casts.remove_nodes.end()});
  }
  write_provenance(model, origin_of_repair(repair, written));
  try {
    check_qdq_file(model.graph(), repair.options.output, promised,
                   {repair.placement.quantize_outputs, repair.format.per_tensor_weights});
  } catch (const Error& error) {
    throw blamed_on(find_graph_faults(written.graph()), error);
  }
  return model;
}

LintReport lint_of(const std::filesystem::path& file, const RepairOptions& options) {
  LintOptions lint;
  lint.model = file, lint.target = options.target, lint.run = options.run;
  return lint_model(lint);
}

/// Returns how many samples were read; of samples that are cut into steps, whole ones.
size_t samples_in(const IdentifiedSamples& samples, const SampleRequest& data) {
  return data.steps ? samples.size() / *data.steps : samples.count();
}

/// The samples on which the files before and after are compared, and the task.
class BeforeAndAfter {
 public:
  /// Errors  those of TaskJudge; Usage for a task without samples.
  BeforeAndAfter(const RepairOptions& options, const SampleRequest& eval, const Model& before)
      : options_(options), eval_(eval), before_(before) {
    const EvaluationOptions& evaluation = options.evaluation;
    if (eval.given()) {
      samples_ = std::make_unique<IdentifiedSamples>(open_samples(eval, before));
      judge_.emplace(evaluation, eval, before, *samples_, options.run);
    }
    if (!judge_ && judges_a_task(evaluation))
      throw Error(ErrorCode::Usage, std::string(kTaskOptions) + " need --eval",
                  "--eval names the samples that they judge");
  }

  /// Adds to the report the difference, the verdict and the scores.
  /// calibration  the samples of --data, which `data` opened; nullptr: none
  void compare(RepairReport& report, const Model& after, const IdentifiedSamples* calibration,
               const SampleRequest& data) const {
    const IdentifiedSamples* samples = judge_ ? samples_.get() : calibration;
    if (!samples) return;
    const ClosingError closing = FloatOutputs(before_, judge_ ? eval_ : data, *samples, options_.run).error_of(after);
    report.error = closing.report;
    report.verdict = judge({.calibration_samples = report.samples,
                            .closing = closing,
                            .calibrated_with = judge_ ? 0 : std::min(report.samples, closing.report.samples)});
    if (judge_ && judges_a_task(options_.evaluation)) score(report, after);
  }

 private:
  void score(RepairReport& report, const Model& after) const {
    TaskScores scores = judge_->judge({&after, 1}, {"before", "after"}, "scoring the files before and after", {});
    scores.call_command(*options_.run.reporter);
    report.scores_before = scores.metrics(0), report.scores = scores.metrics(1);
    report.evaluation_samples = scores.evaluation.samples;
    report.steps = eval_.steps.value_or(0);
    report.labels = judge_->task().reading();
  }

  const RepairOptions& options_;
  const SampleRequest& eval_;
  const Model& before_;
  std::unique_ptr<IdentifiedSamples> samples_;
  std::optional<TaskJudge> judge_;
};

}  // namespace

RepairReport repair_model(const RepairOptions& options) {
  const StopScope stop(options.run.stop);
  const InputFiles protected_inputs = protect_inputs(options);
  const Stopwatch stopwatch;
  check_writable(options.output, options.overwrite);
  const Target& target = find_target(options.target);
  check_takes_pairs(target);
  const RequestedSamples requested = requested_samples(options.data, &options.evaluation.data, options.run);
  RepairReport report;
  report.model = options.model.string(), report.output = options.output.string(), report.target = target.spec();
  report.before = lint_of(options.model, options);
  Model written = read_runnable_model(options.model);
  const bool own = is_own(written, target, report.before);
  if (!own) refuse_integer_operators(written.graph(), options.model.string(), "repair moves pairs alone");
  const bool folded = !own && fold_weights(written) > 0;  // scales that the file computes from weights
  if (!own) restore_float_gates(written);

  // file -> float model and what its pairs say -> plan -> ranges
  std::optional<RepairPlan> repair;
  if (!own) repair.emplace(options, requested.data, target, written);
  if (const Node* holder = find_quantized_body(written.graph()))
    options.run.reporter->warn(holder->op_type + " '" + holder->name + "': pairs inside it stay as they are");
  const BeforeAndAfter files(options, requested.eval, written);
  std::unique_ptr<IdentifiedSamples> samples;
  if (repair) {
    repair->find_ranges();
    report.pairs = describe_pairs(*repair);
    report.weights_kept = repair->weights.kept, report.weights_anew = repair->weights.anew;
    report.measured = repair->measured,
    report.samples = repair->measured > 0 ? samples_in(*repair->source, requested.data) : 0;
    samples = std::move(repair->source);
  } else {
    describe_own(written.graph(), report);
    if (requested.data.given()) samples = std::make_unique<IdentifiedSamples>(open_samples(requested.data, written));
  }
  report.changed = repair && (folded || !stands_right(*repair, report, written.graph()));

  // plan + ranges -> file -> lint, and the difference from the file before
  const Model model = report.changed ? rewritten(*repair, written) : written.clone();
  files.compare(report, model, samples.get(), requested.data);
  report.bytes_before = written_bytes(options.model);
  if (!report.changed && options.external_data != ExternalData::Always &&
      report.bytes_before == std::filesystem::file_size(options.model)) {
    write_file(options.output, MappedFile::open(options.model)->bytes(), options.overwrite);
    report.lint = report.before;
  } else {
    check_one_file(options.output, options.external_data, [&] { return model.byte_size(); });
    check_onnx_rules(model.graph(), options.output, facts_of(written).faults, *options.run.reporter);
    const std::optional<Model> in_kernels = in_kernels_of(target, model);
    write_shown_model(in_kernels ? *in_kernels : model, options.output,
                      write_options(options.overwrite, options.external_data),
                      [&](const std::filesystem::path& file) { report.lint = lint_of(file, options); });
  }
  report.lint.plan.model = options.output.string();
  report.bytes_after = written_bytes(options.output);
  report.seconds = stopwatch.seconds();
  return report;
}

}  // namespace detent
