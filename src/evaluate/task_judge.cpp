#include "evaluate/task_judge.h"

#include <cmath>
#include <limits>

#include "core/stopwatch.h"
#include "detent/base/progress.h"
#include "evaluate/compared_values.h"
#include "run/model_inputs.h"
#include "run/own_steps.h"

namespace detent {

std::pair<double, double> rank_of(const Metric& metric, double score, double sqnr_db) {
  const double value = metric.falls() ? -score : score;
  return {std::isnan(value) ? -std::numeric_limits<double>::infinity() : value, sqnr_db};
}

void TaskScores::call_command(Reporter& reporter) {
  if (!command) return;
  const size_t models = 1 + evaluation.errors.size();
  reporter.begin("running the metric command", models);
  for (size_t m = 0; m < models; ++m) {
    const Stopwatch stopwatch;
    numbers.push_back(command->judge(m));
    command_seconds.push_back(stopwatch.seconds());
    reporter.advance_to(m + 1);
  }
  reporter.end();
  command.reset();
}

std::map<std::string, double> TaskScores::metrics(size_t model) const {
  std::map<std::string, double> metrics;
  if (!evaluation.task.empty()) metrics = evaluation.task[model].metrics();
  if (!numbers.empty()) metrics[metrics::kCommand.name] = numbers[model];
  return metrics;
}

TaskJudge::TaskJudge(const EvaluationOptions& options, const SampleRequest& request, const Model& reference,
                     const DataSource& samples, const RunSettings& run)
    : options_(options), request_(request), reference_(reference), samples_(samples),
      run_(without_states(run, request, reference)),
      task_(options, request, samples, *run_.reporter, &reference.graph(),
            recognize_detections(reference, samples, run_)),
      values_(values_to_judge(reference, samples, run_)) {
  task_.learn_classes(reference, samples, run_);
}

TaskScores TaskJudge::judge(std::span<const Model> variants, const std::vector<std::string>& names,
                            std::string_view progress, const Asked& asked) const {
  TaskScores scores;
  if (gives(options_, MetricSource::Command))
    scores.command = std::make_unique<MetricCommand>(options_, values_, names, static_cast<int64_t>(samples_.batch()));
  EvaluationRequest request{reference_, values_, samples_, run_, progress};
  request.judge = asked.task ? &task_ : nullptr, request.command = scores.command.get();
  request.by_batch = asked.by_batch, request.shown_samples = asked.shown;
  request.request = &request_;
  scores.evaluation = evaluate_models(variants, request);
  if (scores.command) scores.command->close();
  return scores;
}

}  // namespace detent
