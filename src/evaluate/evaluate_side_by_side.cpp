#include "evaluate/evaluate_side_by_side.h"

#include "run/batches.h"
#include "evaluate/batch_errors.h"
#include "core/stopwatch.h"

namespace detent {

namespace {

struct BatchErrors {
  std::vector<std::vector<ErrorSums>> errors;  // [variant][output]
  std::vector<bool> comparable;
  double seconds = 0, float_seconds = 0;
  size_t real = 0;
};

BatchErrors run_batch(const SharedVariants& variants, size_t outputs, std::vector<Sample>&& batch, size_t real,
                      BufferPool& pool) {
  const size_t size = batch.size();
  const std::string name = batch.front().name;
  const std::vector<Tensor> inputs = stack_samples(std::move(batch));
  BatchErrors result;
  result.errors.resize(variants.size());
  result.comparable.assign(outputs, true);
  result.real = real;
  std::vector<Tensor> expected;
  Stopwatch stopwatch;
  const auto take = [&](std::optional<size_t> variant, std::vector<Tensor>&& tensors) {
    const double spent = stopwatch.seconds();
    result.seconds += spent;
    std::vector<Tensor> counted = real_part(std::move(tensors), size, real);
    if (variant) {
      result.errors[*variant] = errors_of(expected, counted, result.comparable);
    } else {
      result.float_seconds = spent;
      expected = std::move(counted);
    }
    stopwatch = Stopwatch();  // comparing does not count
  };
  try {
    variants.run(inputs, pool, take);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::Interrupted) throw;
    throw error.in("sample '" + name + "'");
  }
  return result;
}

}  // namespace

SharedEvaluation evaluate_shared(SharedVariants& variants, const Graph& graph, const std::vector<std::string>& names,
                                 const DataSource& source, const RunSettings& settings, std::string_view task) {
  variants.prepare(names, team_size(settings, source.size(), fixed_batch(graph)));
  std::vector<BufferPool> pools(worker_count(settings));
  std::vector<std::vector<ErrorSums>> totals(variants.size(), std::vector<ErrorSums>(names.size()));
  std::vector<bool> comparable(names.size(), true);
  SharedEvaluation result;
  Evaluation& evaluation = result.evaluation;
  Reporter& reporter = *settings.reporter;
  reporter.begin(task, source.size());
  const auto process = [&](size_t slot, std::vector<Sample>&& batch, size_t real) {
    return run_batch(variants, names.size(), std::move(batch), real, pools[slot]);
  };
  const auto add = [&](size_t, BatchErrors&& batch) {
    for (size_t v = 0; v < totals.size(); ++v)
      for (size_t i = 0; i < names.size(); ++i) totals[v][i] += batch.errors[v][i];
    for (size_t i = 0; i < names.size(); ++i) comparable[i] = comparable[i] && batch.comparable[i];
    result.seconds += batch.seconds;
    result.float_seconds += batch.float_seconds;
    reporter.advance_to(evaluation.samples += batch.real);
  };
  evaluation.skipped = stream<BatchErrors>(source, batch_stream_options(graph, settings, true), process, add).skipped;
  reporter.end();
  if (evaluation.samples == 0) throw Error(ErrorCode::InvalidData, "no sample of the data could be read");

  evaluation.errors.resize(variants.size());
  for (size_t i = 0; i < names.size(); ++i) {
    if (!comparable[i]) continue;
    evaluation.outputs.push_back(names[i]);
    for (size_t v = 0; v < totals.size(); ++v) evaluation.errors[v].push_back(totals[v][i]);
  }
  return result;
}

}  // namespace detent
