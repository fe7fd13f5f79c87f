#include "evaluate/evaluate_models.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "core/float_type.h"
#include "core/stopwatch.h"
#include "detent/error.h"
#include "detent/progress.h"
#include "evaluate/batch_errors.h"
#include "evaluate/prepared_model.h"
#include "exec/buffer_pool.h"
#include "exec/runnable_part.h"
#include "run/model_inputs.h"
#include "run/run_over.h"
#include "run/workers.h"

namespace detent {

namespace {

/// One batch: [variant][output], and which outputs had the float model's shape in every variant.
struct BatchErrors {
  std::vector<std::vector<ErrorSums>> errors;
  std::vector<bool> comparable;
  std::vector<TaskSums> task;                // by model, the float model first
  std::vector<double> seconds;               // the same
  std::vector<std::vector<Tensor>> outputs;  // the same; for a MetricCommand only
  std::string name;                          // of the first sample
  size_t real = 0;
};

/// All models, ready to run, and what is wanted of them.
struct Contest {
  const std::vector<std::string>& names;
  std::vector<std::shared_ptr<const PreparedModel>> models;  // the float model first
  OutputJudges judges;
  std::vector<SampleAxis> axes;  // of the outputs

  [[nodiscard]] bool judged_by_task() const { return judges.task && judges.task->given(); }
};

BatchErrors run_contest_batch(const Contest& contest, std::vector<Sample>&& batch, size_t real, BufferPool& pool) {
  const size_t size = batch.size();
  BatchErrors result{
      .comparable = std::vector<bool>(contest.names.size(), true), .name = batch.front().name, .real = real};
  std::vector<Truth> truths;
  if (contest.judged_by_task()) truths = contest.judges.task->truths_of(std::span(batch).first(real));
  const BatchContent content = content_of(std::span(batch).first(real));
  const std::vector<Tensor> inputs = stack_samples(std::move(batch));
  std::vector<Tensor> expected;
  for (const auto& model : contest.models) {
    const Stopwatch stopwatch;
    std::vector<Tensor> outputs = model->run(inputs, pool);
    result.seconds.push_back(stopwatch.seconds());
    if (contest.judges.command) result.outputs.push_back(outputs);
    outputs = real_part(std::move(outputs), size, real, contest.axes);
    if (contest.judged_by_task())
      result.task.push_back(contest.judges.task->score(truths, contest.names, outputs, contest.axes));
    if (&model == &contest.models.front())
      expected = std::move(outputs);
    else
      result.errors.push_back(errors_of(expected, outputs, content, contest.axes, result.comparable));
  }
  return result;
}

/// Drops the elements that are not wanted.
void keep_where(std::vector<ErrorSums>& sums, const std::vector<bool>& wanted) {
  size_t kept = 0;
  for (size_t i = 0; i < sums.size(); ++i)
    if (wanted[i]) sums[kept++] = sums[i];
  sums.resize(kept);
}

/// Sums of all batches, added in their order. Passes run some variants each, and the float model anew.
struct ContestTotals {
  std::vector<std::vector<ErrorSums>> errors;  // [variant][output]
  std::vector<bool> comparable;
  std::vector<TaskSums> task;                                 // [0] of the float model, [1 + variant]
  std::vector<std::vector<TaskSums>> task_by_batch;           // [1 + variant][batch]; where kept
  std::vector<double> seconds;                                // the same
  std::vector<std::vector<std::vector<ErrorSums>>> by_batch;  // [variant][batch][output]; where kept
  std::vector<std::string> batch_names;
  size_t samples = 0, skipped = 0;

  ContestTotals(size_t variants, size_t outputs, bool keep_batches)
      : errors(variants, std::vector<ErrorSums>(outputs)), comparable(outputs, true), task(variants + 1),
        task_by_batch(variants + 1), seconds(variants + 1), by_batch(keep_batches ? variants : 0) {}

  /// The pass that begins with variant `first`.
  void begin_pass(size_t first) {
    first_ = first;
    samples = 0;
  }

  /// Where model `m` of a pass stands among all; nullopt for the float model after the first pass, which has counted it.
  [[nodiscard]] std::optional<size_t> place_of(size_t m) const {
    if (m > 0) return first_ + m;
    return first_ == 0 ? std::optional<size_t>(0) : std::nullopt;
  }

  void add(BatchErrors&& batch) {
    for (size_t v = 0; v < batch.errors.size(); ++v)
      for (size_t i = 0; i < comparable.size(); ++i) errors[first_ + v][i] += batch.errors[v][i];
    for (size_t i = 0; i < comparable.size(); ++i) comparable[i] = comparable[i] && batch.comparable[i];
    for (size_t m = 0; m < batch.seconds.size(); ++m) {
      const auto place = place_of(m);
      if (!place) continue;
      seconds[*place] += batch.seconds[m];
      if (!batch.task.empty()) task[*place] += batch.task[m];
    }
    samples += batch.real;
    if (by_batch.empty()) return;
    for (size_t v = 0; v < batch.errors.size(); ++v) by_batch[first_ + v].push_back(std::move(batch.errors[v]));
    for (size_t m = 1; m < batch.task.size(); ++m) task_by_batch[first_ + m].push_back(std::move(batch.task[m]));
    if (first_ == 0) batch_names.push_back(std::move(batch.name));
  }

 private:
  size_t first_ = 0;
};

}  // namespace

Evaluation evaluate_models(std::span<const Model> variants, const EvaluationRequest& request) {
  const auto& [reference, names, source, settings, task, judges, weight_bytes, by_batch] = request;
  const int team = team_size(settings, source);
  const size_t at_once =
      std::max<size_t>(1, weight_bytes / std::max<size_t>(1, kPreparedShare * reference.byte_size()));
  const auto original = std::make_shared<const PreparedModel>(reference, names, team);
  const std::vector<ValueId> wanted = values_named(reference.graph(), names);
  const std::vector<SampleAxis> axes = find_sample_axes(reference.graph(), wanted, source, settings).of(wanted);
  std::vector<BufferPool> pools(worker_count(settings));
  ContestTotals totals(variants.size(), names.size(), by_batch);
  Reporter& reporter = *settings.reporter;
  const size_t passes = (variants.size() + at_once - 1) / at_once;
  size_t finished = 0;
  reporter.begin(task, source.size() * passes);
  for (size_t first = 0; first < variants.size(); first += at_once) {
    Contest contest{names, {original}, judges, axes};
    for (const Model& variant : variants.subspan(first, std::min(at_once, variants.size() - first)))
      contest.models.push_back(std::make_shared<const PreparedModel>(variant, names, team, settings.products));
    totals.begin_pass(first);
    const auto run = [&](size_t slot, std::vector<Sample>&& batch, size_t real) {
      return run_contest_batch(contest, std::move(batch), real, pools[slot]);
    };
    const auto add = [&](BatchErrors&& batch) {
      for (size_t m = 0; m < batch.outputs.size(); ++m)
        if (const auto place = totals.place_of(m)) judges.command->append(*place, batch.outputs[m], batch.real, axes);
      reporter.advance_to(finished += batch.real);
      totals.add(std::move(batch));
    };
    totals.skipped = run_over<BatchErrors>({.source = source, .settings = settings}, run, add).skipped;
  }
  reporter.end();

  Evaluation result;
  result.samples = totals.samples;
  result.skipped = totals.skipped;
  result.seconds = std::move(totals.seconds);
  if (judges.task && judges.task->given()) {
    if (judges.task->judges_tokens() && totals.task.front().tokens.tokens == 0)
      throw Error(ErrorCode::InvalidData,
                  "--next-token: no token of the data is followed by another that is not padding",
                  "sequences of two tokens or more are needed, or windows of a longer one");
    result.task = std::move(totals.task);
    result.task_by_batch = std::move(totals.task_by_batch);
  }
  result.errors.resize(variants.size());
  result.batch_names = std::move(totals.batch_names);
  result.by_batch = std::move(totals.by_batch);
  for (auto& batches : result.by_batch)
    for (std::vector<ErrorSums>& outputs : batches) keep_where(outputs, totals.comparable);
  for (size_t i = 0; i < names.size(); ++i) {
    if (!totals.comparable[i]) continue;
    result.outputs.push_back(names[i]);
    for (size_t v = 0; v < variants.size(); ++v) result.errors[v].push_back(totals.errors[v][i]);
  }
  return result;
}

}  // namespace detent
