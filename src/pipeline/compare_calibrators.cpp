#include <algorithm>
#include <array>
#include <cmath>

#include "calibrate/calibration.h"
#include "core/stopwatch.h"
#include "detent/calibrator.h"
#include "detent/compare.h"
#include "detent/data_source.h"
#include "detent/error.h"
#include "detent/progress.h"
#include "detent/qparams.h"
#include "detent/run_settings.h"
#include "evaluate/compared_values.h"
#include "evaluate/error_sums.h"
#include "evaluate/evaluate_models.h"
#include "evaluate/metric_command.h"
#include "evaluate/task_metric.h"
#include "model/model.h"
#include "pipeline/plan_report.h"
#include "pipeline/provenance.h"
#include "pipeline/setup.h"
#include "pipeline/value_charts.h"
#include "rewrite/quantized_model.h"
#include "run/model_inputs.h"
#include "run/workers.h"
#include "tune/choose_calibrator.h"
#include "tune/correct_biases.h"

namespace detent {

namespace {

/// Names as calibrators call themselves ("percentile" is "percentile:99.99").
std::vector<std::string> candidate_names(const std::vector<std::string>& specs) {
  std::vector<std::string> names;
  for (const std::string& spec : specs) {
    names.push_back(is_auto(spec) ? spec : make_calibrator(spec)->name());
    if (std::find(names.begin(), names.end() - 1, names.back()) != names.end() - 1)
      throw Error(ErrorCode::Usage, "--calibrators names " + names.back() + " twice");
  }
  if (names.empty()) throw Error(ErrorCode::Usage, "--calibrators names none");
  return names;
}

/// The candidates' quantized models, each made once.
struct Candidates {
  std::vector<std::string> names;
  std::vector<std::string> takes;        // by candidate: what auto chose
  std::vector<double> choosing_seconds;  // by candidate
  DistinctRanges distinct;
  std::vector<Model> models;  // by variant
  std::vector<double> making_seconds;
  std::vector<Provenance> origins;  // by variant, but for the calibrator

  [[nodiscard]] Provenance origin_of_candidate(size_t candidate) const {
    Provenance provenance = origins[distinct.variant_of[candidate]];
    provenance.calibrator = takes[candidate].empty() ? names[candidate] : takes[candidate];
    return provenance;
  }

  /// "fp32", then the first name of each variant.
  [[nodiscard]] std::vector<std::string> folder_names() const {
    std::vector<std::string> folders(models.size() + 1);
    folders[0] = "fp32";
    for (size_t c = names.size(); c-- > 0;) folders[1 + distinct.variant_of[c]] = names[c];
    return folders;
  }
};

Candidates make_candidates(const std::vector<std::string>& names, const Setup& setup, const Calibration& calibration,
                           const CompareOptions& options) {
  Candidates candidates{.names = names};
  const RangesOf ranges_of = setup.ranges_from(calibration);
  for (const std::string& name : names) {
    const Stopwatch stopwatch;
    std::string takes;
    if (is_auto(name)) {
      auto chosen = setup.choose(nullptr, calibration);
      takes = chosen.calibrator->name();
      candidates.distinct.add(std::move(chosen.ranges));
    } else {
      candidates.distinct.add(ranges_of(*make_calibrator(name)));
    }
    candidates.takes.push_back(takes);
    candidates.choosing_seconds.push_back(stopwatch.seconds());
  }
  for (const auto& ranges : candidates.distinct.ranges) {
    const Stopwatch stopwatch;
    GraphPatch biases;
    if (options.equalize.bias_correction)
      biases = correct_biases(setup.model, setup.plan, ranges, setup.format, setup.data.get(), options.run).patch;
    candidates.models.push_back(quantized_model(setup.model, setup.plan, ranges, setup.format, biases));
    candidates.origins.push_back(describe_origin(
        setup, calibration,
        {options.placement, options.format, options.equalize, Accuracy::Balanced, options.outliers, !biases.empty()}));
    candidates.origins.back().ranges = ranges_fingerprint(setup.model.graph(), ranges);
    candidates.making_seconds.push_back(stopwatch.seconds());
  }
  return candidates;
}

/// The number that the user's command gives each model, the float model first, and the time it took. Empty without a command.
struct CommandResults {
  std::vector<double> numbers, seconds;
};

CommandResults judge_by_command(MetricCommand* command, size_t models, Reporter& reporter) {
  CommandResults results;
  if (!command) return results;
  command->close();
  reporter.begin("running the metric command", models);
  for (size_t m = 0; m < models; ++m) {
    const Stopwatch stopwatch;
    results.numbers.push_back(command->judge(m));
    results.seconds.push_back(stopwatch.seconds());
    reporter.advance_to(m + 1);
  }
  reporter.end();
  return results;
}

using Metrics = std::map<std::string, double>;

/// Of one model, counted as the evaluation counts: the float model is 0.
Metrics task_metrics(const Evaluation& evaluation, const CommandResults& command, size_t model) {
  Metrics metrics;
  if (!evaluation.task.empty()) metrics = evaluation.task[model].metrics();
  if (!command.numbers.empty()) metrics["metric"] = command.numbers[model];
  return metrics;
}

void add_error_metrics(Metrics& metrics, const ErrorReport& error) {
  if (error.outputs.empty()) return;
  metrics["sqnr_db"] = error.sqnr_db;
  metrics["cosine"] = error.cosine;
  if (error.argmax_agreement) metrics["argmax_agreement"] = *error.argmax_agreement;
  if (error.sign_agreement) metrics["sign_agreement"] = *error.sign_agreement;
}

/// Fills `criterion` and `winner`. Errors  InvalidOption when there is nothing to judge by.
void choose_winner(ComparisonReport& report) {
  constexpr std::array<const char*, 4> kCriteria = {"metric", "miou", "top1", "sqnr_db"};
  const auto& metrics = report.variants.front().metrics;
  const auto* criterion =
      std::find_if(kCriteria.begin(), kCriteria.end(), [&](const char* name) { return metrics.contains(name); });
  if (criterion == kCriteria.end())
    throw Error(ErrorCode::InvalidOption,
                "no output can be compared: none comes from float values and has one shape in all variants",
                "judge by --labels, --masks or --metric-command");
  report.criterion = *criterion;
  const auto rank = [&](const ComparisonReport::Variant& variant) {
    ErrorReport error;
    error.outputs = variant.outputs;
    const double sqnr = mean_sqnr_db(error);
    return std::pair(report.criterion == "sqnr_db" ? sqnr : variant.metrics.at(report.criterion), sqnr);
  };
  const auto best = std::max_element(report.variants.begin(), report.variants.end(),
                                     [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  report.winner = best->calibrator;  // the first of equals
}

/// Variants are in the order of the candidates.
size_t index_of_winner(const ComparisonReport& report) {
  const auto winner = std::ranges::find(report.variants, report.winner, &ComparisonReport::Variant::calibrator);
  return static_cast<size_t>(winner - report.variants.begin());
}

void add_variants(ComparisonReport& report, Candidates& candidates, const Evaluation& evaluation,
                  const CommandResults& command, size_t workers) {
  for (size_t c = 0; c < candidates.names.size(); ++c) {
    const size_t v = candidates.distinct.variant_of[c];
    const ErrorReport error = evaluation.report(v);
    ComparisonReport::Variant variant{candidates.names[c], candidates.takes[c]};
    variant.metrics = task_metrics(evaluation, command, 1 + v);
    add_error_metrics(variant.metrics, error);
    variant.outputs = error.outputs;
    write_provenance(candidates.models[v], candidates.origin_of_candidate(c));  // a line of it is the calibrator's name
    variant.size_bytes = candidates.models[v].byte_size();
    variant.seconds = candidates.choosing_seconds[c] + candidates.making_seconds[v] +
                      evaluation.seconds[1 + v] / static_cast<double>(workers);
    if (!command.seconds.empty()) variant.seconds += command.seconds[1 + v];
    report.variants.push_back(std::move(variant));
  }
}

}  // namespace

ComparisonReport compare_calibrators(const CompareOptions& options) {
  const RunSettings& run = options.run;
  const std::vector<std::string> names = candidate_names(options.calibrators);

  // model, plan and data; what is wrong with any of them is said before anything long begins
  const std::filesystem::path no_table;
  Setup setup = set_up({options.model, options.data, no_table, options.override_file, options.target, options.placement,
                        options.format, options.equalize, names, run, options.outliers, &options.evaluation.data});
  const Graph& graph = setup.model.graph();
  const auto samples = open_samples(options.evaluation.data, graph);
  const TaskMetric task(options.evaluation, *samples, *run.reporter);
  const std::vector<std::string> judged = values_to_judge(setup.reference(), *samples, run);

  // one calibration -> ranges and a variant for each candidate
  const Calibration calibration = setup.calibrate_plan();
  warn_of_unsupported_tail(graph, *run.reporter);
  Candidates candidates = make_candidates(names, setup, calibration, options);

  // all variants side by side on each sample
  const Stopwatch stopwatch;
  std::unique_ptr<MetricCommand> command;
  if (!options.evaluation.metric_command.empty())
    command = std::make_unique<MetricCommand>(options.evaluation.metric_command, judged, candidates.folder_names(),
                                              static_cast<int64_t>(samples->batch()));
  const std::string what = "comparing " + std::to_string(names.size()) + " calibrators";
  const Evaluation evaluation =
      evaluate_models(candidates.models, {setup.reference(), judged, *samples, run, what, {&task, command.get()}});
  const CommandResults numbers = judge_by_command(command.get(), 1 + candidates.models.size(), *run.reporter);

  ComparisonReport report;
  report.model = options.model.string();
  report.target = setup.plan.target->spec();
  report.calibration_samples = calibration.samples;
  report.calibration_seconds = calibration.seconds;
  report.outliers = setup.outlier_report;
  report.evaluation_samples = evaluation.samples;
  report.evaluation_seconds = stopwatch.seconds();
  report.skipped_samples = calibration.skipped + evaluation.skipped;
  report.equalized = setup.equalize_report();
  report.fp32 = task_metrics(evaluation, numbers, 0);
  add_variants(report, candidates, evaluation, numbers, worker_count(run));
  choose_winner(report);
  report.provenance = candidates.origin_of_candidate(index_of_winner(report));
  report.plan = describe_plan(setup.plan, graph, report.model, setup.facts, setup.preparation.folded_batchnorms);
  std::vector<std::pair<std::string, const std::map<ValueId, Range>*>> chosen;
  for (size_t c = 0; c < names.size(); ++c)
    chosen.emplace_back(names[c], &candidates.distinct.ranges[candidates.distinct.variant_of[c]]);
  report.values = describe_values(graph, calibration.histograms, setup.format.range_kind(), chosen);
  return report;
}

}  // namespace detent
