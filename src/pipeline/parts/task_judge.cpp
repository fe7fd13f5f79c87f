#include "pipeline/parts/task_judge.h"

#include <utility>

#include "core/stopwatch.h"
#include "detent/base/progress.h"
#include "evaluate/compared_values.h"
#include "evaluate/metric_command.h"
#include "run/model_inputs.h"
#include "run/open_samples.h"

namespace detent {

namespace {

/// Calls the user's command for every model, the reference first. command  nullptr: none
void judge_by_command(MetricCommand* command, size_t models, Reporter& reporter, TaskScores& scores) {
  if (!command) return;
  command->close();
  reporter.begin("running the metric command", models);
  for (size_t m = 0; m < models; ++m) {
    const Stopwatch stopwatch;
    scores.numbers.push_back(command->judge(m));
    scores.command_seconds.push_back(stopwatch.seconds());
    reporter.advance_to(m + 1);
  }
  reporter.end();
}

}  // namespace

std::map<std::string, double> TaskScores::metrics(size_t model) const {
  std::map<std::string, double> metrics;
  if (!evaluation.task.empty()) metrics = evaluation.task[model].metrics();
  if (!numbers.empty()) metrics[metrics::kCommand.name] = numbers[model];
  return metrics;
}

TaskJudge::TaskJudge(const EvaluationOptions& options, const SampleRequest& eval, const Model& reference,
                     const RunSettings& run)
    : options_(options), run_(run), samples_(std::make_unique<IdentifiedSamples>(open_samples(eval, reference))),
      task_(options, eval, *samples_, *run.reporter, &reference.graph(),
            recognize_detections(reference, *samples_, run)),
      judged_(values_to_judge(reference, *samples_, run)) {
  task_.learn_classes(reference, *samples_, run);
}

TaskScores TaskJudge::judge(std::span<const Model> variants, const Model& reference, std::vector<std::string> names,
                            std::string_view progress, size_t shown) const {
  std::unique_ptr<MetricCommand> command;
  if (gives(options_, MetricSource::Command))
    command =
        std::make_unique<MetricCommand>(options_, judged_, std::move(names), static_cast<int64_t>(samples_->batch()));
  EvaluationRequest request{reference, judged_, *samples_, run_, progress, &task_, command.get()};
  request.by_batch = true;
  request.shown_samples = shown;
  TaskScores scores{evaluate_models(variants, request)};
  judge_by_command(command.get(), 1 + variants.size(), *run_.reporter, scores);
  return scores;
}

}  // namespace detent
