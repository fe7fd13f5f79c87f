#include "evaluate/evaluate_side_by_side.h"

#include "core/stopwatch.h"
#include "evaluate/batch_errors.h"
#include "evaluate/error_sums.h"
#include "exec/buffer_pool.h"
#include "exec/runnable_part.h"
#include "run/model_inputs.h"
#include "run/run_over.h"
#include "run/workers.h"

namespace detent {

namespace {

struct VariantErrors {
  std::vector<std::vector<ErrorSums>> errors;  // [variant][output]
  std::vector<bool> comparable;
  std::vector<TaskSums> task;  // of the float model, then by variant; empty: nothing is judged
  double seconds = 0, float_seconds = 0;
};

/// What the outputs are judged by.
struct Judged {
  const std::vector<std::string>& names;
  const TaskMetric* task;
  std::vector<SampleAxis> axes;  // of the outputs
};

VariantErrors run_variants_batch(const ModelsSideBySide& variants, const Judged& judged, std::vector<Sample>&& batch,
                                 size_t real, BufferPool& pool) {
  const size_t size = batch.size();
  VariantErrors result;
  result.errors.resize(variants.size());
  result.comparable.assign(judged.names.size(), true);
  std::vector<Truth> truths;
  if (judged.task) {
    truths = judged.task->truths_of(std::span(batch).first(real));
    result.task.resize(1 + variants.size());
  }
  const BatchContent content = content_of(std::span(batch).first(real));
  const std::vector<Tensor> inputs = stack_samples(std::move(batch));
  std::vector<Tensor> expected;
  Stopwatch stopwatch;
  const auto take = [&](std::optional<size_t> variant, std::vector<Tensor>&& tensors) {
    const double spent = stopwatch.seconds();
    result.seconds += spent;
    std::vector<Tensor> counted = real_part(std::move(tensors), size, real, judged.axes);
    if (judged.task)
      result.task[variant ? 1 + *variant : 0] = judged.task->score(truths, judged.names, counted, judged.axes);
    if (variant) {
      result.errors[*variant] = errors_of(expected, counted, content, judged.axes, result.comparable);
    } else {
      result.float_seconds = spent;
      expected = std::move(counted);
    }
    stopwatch = Stopwatch();  // comparing does not count
  };
  variants.run(inputs, pool, take);
  return result;
}

/// Drops the outputs whose shape differed in some variant.
void keep_comparable(std::vector<ErrorSums>& sums, const std::vector<bool>& comparable) {
  size_t kept = 0;
  for (size_t i = 0; i < sums.size(); ++i)
    if (comparable[i]) sums[kept++] = sums[i];
  sums.resize(kept);
}

}  // namespace

SideBySideEvaluation evaluate_side_by_side(ModelsSideBySide& variants, const std::vector<std::string>& names,
                                           const DataSource& source, const RunSettings& settings, std::string_view task,
                                           bool by_batch, const TaskMetric* judge) {
  const std::vector<ValueId> wanted = values_named(variants.graph(), names);
  const std::vector<SampleAxis> axes = find_sample_axes(variants.graph(), wanted, source, settings).of(wanted);
  variants.prepare(names, team_size(settings, source));
  std::vector<BufferPool> pools(worker_count(settings));
  std::vector<std::vector<ErrorSums>> totals(variants.size(), std::vector<ErrorSums>(names.size()));
  std::vector<bool> comparable(names.size(), true);
  SideBySideEvaluation result;
  Evaluation& evaluation = result.evaluation;
  if (by_batch) evaluation.by_batch.resize(variants.size());
  const Judged judged{names, judge && judge->given() ? judge : nullptr, axes};
  if (judged.task) evaluation.task.resize(1 + variants.size());
  const auto run = [&](size_t slot, std::vector<Sample>&& batch, size_t real) {
    return run_variants_batch(variants, judged, std::move(batch), real, pools[slot]);
  };
  const auto add = [&](VariantErrors&& batch) {
    for (size_t v = 0; v < totals.size(); ++v)
      for (size_t i = 0; i < names.size(); ++i) totals[v][i] += batch.errors[v][i];
    for (size_t i = 0; i < names.size(); ++i) comparable[i] = comparable[i] && batch.comparable[i];
    if (by_batch)
      for (size_t v = 0; v < totals.size(); ++v) evaluation.by_batch[v].push_back(std::move(batch.errors[v]));
    for (size_t m = 0; m < batch.task.size(); ++m) evaluation.task[m] += batch.task[m];
    result.seconds += batch.seconds;
    result.float_seconds += batch.float_seconds;
  };
  const SampleCounts counts = run_over<VariantErrors>({.source = source, .settings = settings, .task = task}, run, add);
  evaluation.samples = counts.samples;
  evaluation.skipped = counts.skipped;

  evaluation.errors.resize(variants.size());
  for (auto& batches : evaluation.by_batch)
    for (std::vector<ErrorSums>& outputs : batches) keep_comparable(outputs, comparable);
  for (size_t i = 0; i < names.size(); ++i) {
    if (!comparable[i]) continue;
    evaluation.outputs.push_back(names[i]);
    for (size_t v = 0; v < totals.size(); ++v) evaluation.errors[v].push_back(totals[v][i]);
  }
  return result;
}

}  // namespace detent
