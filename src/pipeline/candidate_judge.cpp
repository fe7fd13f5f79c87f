#include "pipeline/candidate_judge.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/stopwatch.h"
#include "detent/base/error.h"
#include "detent/base/progress.h"
#include "evaluate/compared_values.h"
#include "evaluate/error_sums.h"
#include "evaluate/metric_command.h"
#include "evaluate/score_error.h"
#include "pipeline/parts/provenance.h"
#include "run/model_inputs.h"
#include "run/workers.h"

namespace detent {

namespace {

/// The number that the user's command gives each model, the float model first, and the time it took. Empty without a
/// command.
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
  if (!command.numbers.empty()) metrics[metrics::kCommand.name] = command.numbers[model];
  return metrics;
}

void add_error_metrics(Metrics& metrics, const ErrorReport& error) {
  for (const auto& [metric, member] : kErrorMetrics)
    if (const std::optional<double>& value = error.*member) metrics[metric.name] = *value;
}

/// The criterion's value of candidate `c`, larger where it is better; NaN is the worst.
double goodness(const ComparisonReport& report, const std::vector<double>& sqnr_db, size_t c) {
  if (report.criterion == metrics::kSqnr.name) return sqnr_db[c];
  const double score = report.variants[c].metrics.at(report.criterion);
  if (std::isnan(score)) return -std::numeric_limits<double>::infinity();
  return metric_named(report.criterion).falls() ? -score : score;
}

/// A type that no layer takes leaves the float model, which is no candidate.
bool is_quantized(const ComparisonReport::Variant& variant) {
  return !variant.type || variant.type->quantized_layers > 0;
}

/// Fills `criterion` and `winner`, of equals the first.
/// Errors  InvalidOption when there is nothing to judge by.
void choose_winner(ComparisonReport& report, const std::vector<double>& sqnr_db) {
  const auto& measured = report.variants.front().metrics;
  const auto* criterion = std::ranges::find_if(kMetrics, [&](const Metric& metric) {
    return metric.use == MetricUse::Decides && measured.contains(metric.name);
  });
  if (criterion == kMetrics.end())
    throw Error(ErrorCode::InvalidOption,
                "no output can be compared: none comes from float values, has one shape in all variants and is not 0",
                "judge by --labels, --masks or --metric-command");
  report.criterion = criterion->name;
  const auto rank = [&](size_t v) { return std::pair(goodness(report, sqnr_db, v), sqnr_db[v]); };
  size_t best = report.variants.size();
  for (size_t v = 0; v < report.variants.size(); ++v)
    if (is_quantized(report.variants[v]) && (best == report.variants.size() || rank(best) < rank(v))) best = v;
  if (best == report.variants.size()) best = 0;  // no type takes any layer
  report.winner = report.variants[best].calibrator;
}

/// How sure the scores are, and who cannot be told from the winner.
void add_uncertainty(ComparisonReport& report, const Candidates& candidates, const Evaluation& evaluation,
                     const std::vector<double>& sqnr_db) {
  const auto errors = score_errors(evaluation, report.criterion);
  if (!errors) return;
  const auto score = [&](size_t c) { return goodness(report, sqnr_db, c); };
  const size_t best = index_of_winner(report), winner = candidates.variant_of[best];
  for (size_t b = 0; b < report.baselines.size(); ++b)
    report.baselines[b].score_error = errors->own[candidates.variants() + b];
  for (size_t c = 0; c < report.variants.size(); ++c) {
    const size_t v = candidates.variant_of[c];
    report.variants[c].score_error = errors->own[v];
    const bool equal = v == winner || score(c) == score(best);  // the same model, or both exact
    if (c != best && is_quantized(report.variants[c]) &&
        (equal || score(best) - score(c) <= kToldApartErrors * errors->difference[winner][v]))
      report.ties.push_back(report.variants[c].calibrator);
  }
}

/// SQNR of the worst output by candidate.
std::vector<double> worst_by_candidate(const Candidates& candidates, const Evaluation& evaluation) {
  std::vector<double> sqnr_db;
  for (const size_t v : candidates.variant_of) sqnr_db.push_back(worst_sqnr_db(evaluation.report(v)));
  return sqnr_db;
}

/// What was measured of model `v` of the evaluation.
ComparisonReport::Variant measured_variant(const Evaluation& evaluation, const CommandResults& command, size_t v,
                                           size_t workers) {
  ComparisonReport::Variant variant;
  const ErrorReport error = evaluation.report(v);
  variant.metrics = task_metrics(evaluation, command, 1 + v);
  add_error_metrics(variant.metrics, error);
  variant.outputs = error.outputs;
  variant.seconds = evaluation.seconds[1 + v] / static_cast<double>(workers);
  if (!command.seconds.empty()) variant.seconds += command.seconds[1 + v];
  return variant;
}

void add_variants(ComparisonReport& report, Candidates& candidates, const Evaluation& evaluation,
                  const CommandResults& command, size_t workers) {
  for (size_t c = 0; c < candidates.names.size(); ++c) {
    const size_t v = candidates.variant_of[c];
    ComparisonReport::Variant variant = measured_variant(evaluation, command, v, workers);
    variant.calibrator = candidates.names[c];
    if (candidates.calibrators[c] != candidates.names[c]) variant.takes = candidates.calibrators[c];
    variant.type = candidates.types[v];
    write_provenance(candidates.models[v], candidates.origin_of_candidate(c));  // a line of it is the calibrator's name
    variant.size_bytes = candidates.models[v].byte_size();
    variant.seconds += candidates.choosing_seconds[c] + candidates.making_seconds[v];
    report.variants.push_back(std::move(variant));
  }
}

void add_baseline_rows(ComparisonReport& report, const Candidates& candidates, const Evaluation& evaluation,
                       const CommandResults& command, size_t workers) {
  for (size_t b = 0; b < candidates.baselines.size(); ++b) {
    const size_t v = candidates.variants() + b;
    ComparisonReport::Variant variant = measured_variant(evaluation, command, v, workers);
    variant.calibrator = candidates.baselines[b];
    variant.size_bytes = candidates.models[v].byte_size();
    variant.seconds += candidates.making_seconds[v];
    report.baselines.push_back(std::move(variant));
  }
}

}  // namespace

size_t index_of_winner(const ComparisonReport& report) {
  const auto winner = std::ranges::find(report.variants, report.winner, &ComparisonReport::Variant::calibrator);
  return static_cast<size_t>(winner - report.variants.begin());
}

CandidateJudge::CandidateJudge(const CompareOptions& options, const Graph& graph, const Model& reference)
    : options_(options), samples_(std::make_unique<IdentifiedSamples>(open_samples(options.evaluation.data, graph))),
      task_(options.evaluation, *samples_, *options.run.reporter,
            input_specs(graph, options.evaluation.data.batch_axes)),
      judged_(values_to_judge(reference, *samples_, options.run)) {}

void CandidateJudge::judge(ComparisonReport& report, Candidates& candidates, const Model& reference,
                           const std::string& what) const {
  const Stopwatch stopwatch;
  const RunSettings& run = options_.run;
  std::unique_ptr<MetricCommand> command;
  if (!options_.evaluation.metric_command.empty())
    command = std::make_unique<MetricCommand>(options_.evaluation.metric_command, judged_, candidates.folder_names(),
                                              static_cast<int64_t>(samples_->batch()));
  const std::string progress = "comparing " + what;
  EvaluationRequest request{reference, judged_, *samples_, run, progress, {&task_, command.get()}};
  request.by_batch = true;
  const Evaluation evaluation = evaluate_models(candidates.models, request);
  const CommandResults numbers = judge_by_command(command.get(), 1 + candidates.models.size(), *run.reporter);

  report.evaluation_samples = evaluation.samples;
  report.evaluation_digest = samples_->digest();
  report.evaluation_spread = options_.evaluation.data.spread && options_.evaluation.data.limit == samples_->size();
  report.evaluation_seconds = stopwatch.seconds();
  report.skipped_samples += evaluation.skipped;
  report.fp32 = task_metrics(evaluation, numbers, 0);
  add_variants(report, candidates, evaluation, numbers, worker_count(run));
  add_baseline_rows(report, candidates, evaluation, numbers, worker_count(run));
  const std::vector<double> sqnr_db = worst_by_candidate(candidates, evaluation);
  choose_winner(report, sqnr_db);
  add_uncertainty(report, candidates, evaluation, sqnr_db);
  report.provenance = candidates.origin_of_candidate(index_of_winner(report));
}

}  // namespace detent
