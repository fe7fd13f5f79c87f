#include "evaluate/closing_error.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/float_type.h"
#include "detent/progress.h"
#include "evaluate/class_output.h"
#include "evaluate/error_sums.h"
#include "exec/runnable_part.h"
#include "exec/schedule.h"
#include "run/model_inputs.h"
#include "run/run_over.h"
#include "run/sample_subset.h"
#include "run/workers.h"

namespace detent {

namespace {

/// Outputs of the reference that are held: fewer samples are measured where outputs are very large.
constexpr size_t kKeptBytes = size_t{128} << 20;

/// One batch. `index` and `name` are its first sample's: in a subset the index is not its place.
struct NamedBatch {
  size_t index, real;
  std::string name;
  std::vector<Tensor> tensors;
};

/// Runs a model over samples as far as the named values; `take(NamedBatch&&)` gets them in order.
template <class Take>
void run_named(const Model& model, const std::vector<std::string>& names, const DataSource& source,
               const RunSettings& settings, Take&& take) {
  const Graph& graph = model.graph();
  const std::vector<ValueId> wanted = values_named(graph, names);
  const Schedule schedule(graph, wanted, {.team = team_size(settings, source)});
  ExecutorSlots slots(schedule, worker_count(settings));
  const auto run = [&](size_t slot, std::vector<Sample>&& batch, size_t real) {
    const size_t index = batch.front().index;
    std::string name = batch.front().name;
    OutputKeeper keeper(graph, wanted);
    slots.at(slot).run(stack_samples(std::move(batch)), keeper);
    return NamedBatch{index, real, std::move(name), keeper.take()};
  };
  run_over<NamedBatch>({.source = source, .settings = settings, .refuse_empty = {}}, run, take);
}

size_t bytes_of(const std::vector<Tensor>& tensors) {
  size_t bytes = 0;
  for (const Tensor& tensor : tensors) bytes += tensor.byte_count();
  return bytes;
}

/// Rows of scores: which outputs tell classes is known when all samples were seen.
void add_score_decisions(const std::vector<ErrorSums>& totals, const std::vector<bool>& rows, ClosingError& found) {
  for (size_t i = 0; i < totals.size(); ++i) {
    if (!totals[i].is_float || totals[i].by_sign || !rows[i] || !totals[i].tells_classes()) continue;
    found.classified += static_cast<size_t>(totals[i].positions);
    found.agreeing += static_cast<size_t>(totals[i].agreeing);
  }
}

/// Outputs that hold the classes themselves.
void add_class_decisions(const Tensor& expected, const Tensor& output, ClosingError& found) {
  const Shape& shape = expected.shape();
  const int64_t samples = shape.rank() > 0 ? shape[0] : 0;
  if (shape != output.shape() || is_floating_point(expected.type())) return;
  const auto classes_of = [&](const Tensor& tensor) {
    auto classes = ClassOutput::of_samples(tensor, samples);
    return classes ? classes : ClassOutput::of_pixels(tensor, samples);
  };
  const auto a = classes_of(expected), b = classes_of(output);
  if (!a || !b) return;
  for (int64_t n = 0; n < samples; ++n)
    for (int64_t position = 0; position < a->height() * a->width(); ++position) {
      ++found.classified;
      found.agreeing += a->class_at(n, position) == b->class_at(n, position);
    }
}

/// NaN is worse than any number.
void keep_worst(std::optional<ClosingError::Named>& worst, const std::string& name, double sqnr_db) {
  if (!worst || std::isnan(sqnr_db) || sqnr_db < worst->sqnr_db) worst = {name, sqnr_db};
}

/// A sample on which FP32 itself is not finite says nothing of the candidate.
void find_worst(const ReferenceOutputs& reference, const std::map<size_t, std::vector<ErrorSums>>& by_sample,
                const std::map<size_t, std::string>& names, ClosingError& found) {
  for (size_t i = 0; i < reference.names.size(); ++i) {
    double signal = 0, noise = 0, finite = 0;
    for (const auto& [index, sums] : by_sample) {
      if (!std::isfinite(sums[i].signal)) continue;
      signal += sums[i].signal;
      noise += sums[i].noise;
      ++finite;
    }
    if (signal == 0) continue;
    keep_worst(found.worst_output, reference.names[i], sqnr_db(signal, noise));
    for (const auto& [index, sums] : by_sample)
      if (std::isfinite(sums[i].signal))
        keep_worst(found.worst_sample, names.at(index),
                   sqnr_db(std::max(sums[i].signal, signal / finite), sums[i].noise));
  }
}

}  // namespace

ReferenceOutputs keep_outputs(const Model& reference, const DataSource& source, size_t samples,
                              const RunSettings& settings) {
  ReferenceOutputs kept;
  kept.names = names_of(reference.graph(), RunnablePart(reference.graph()).ends());
  const size_t wanted = std::min(samples, source.size());
  Reporter& reporter = *settings.reporter;
  reporter.begin("running FP32", wanted);
  const auto keep = [&](NamedBatch&& batch) {
    kept.tensors.emplace(batch.index, std::move(batch.tensors));
    reporter.advance_to(kept.samples += batch.real);
  };
  // The first batch tells how much a sample's outputs take.
  const size_t batch = source.batch();
  kept.parts = {{0, std::min(batch, wanted)}};
  run_named(reference, kept.names, SampleSubset(source, consecutive_samples(source, 0, kept.parts[0].second)), settings,
            keep);
  if (wanted > batch) {  // the first batch may have been passed over as unreadable: then nothing is known of the size
    const size_t bytes = kept.tensors.empty() ? 1 : bytes_of(kept.tensors.begin()->second);
    const size_t batches = kKeptBytes / std::max<size_t>(1, bytes);
    kept.parts.emplace_back(batch, std::min(wanted - batch, batches * batch));
    run_named(reference, kept.names, SampleSubset(source, consecutive_samples(source, batch, kept.parts[1].second)),
              settings, keep);
  }
  reporter.end();
  return kept;
}

ClosingError measure_closing_error(const ReferenceOutputs& reference, const Model& candidate, const DataSource& source,
                                   const RunSettings& settings) {
  std::vector<ErrorSums> totals(reference.names.size());
  std::vector<bool> rows(reference.names.size(), true);
  std::map<size_t, std::vector<ErrorSums>> by_sample;
  ClosingError found;
  size_t measured = 0;
  Reporter& reporter = *settings.reporter;
  reporter.begin("measuring the error", reference.samples);
  std::map<size_t, std::string> names;
  const auto add = [&](NamedBatch&& batch) {
    const std::vector<Tensor>&expected = reference.tensors.at(batch.index), &outputs = batch.tensors;
    std::vector<ErrorSums>& sums = by_sample[batch.index];
    names[batch.index] = std::move(batch.name);
    for (size_t i = 0; i < totals.size(); ++i) {
      totals[i] += sums.emplace_back(ErrorSums::of(expected[i], outputs[i]));
      rows[i] = rows[i] && expected[i].shape().rank() == 2;
      add_class_decisions(expected[i], outputs[i], found);
    }
    reporter.advance_to(measured += batch.real);
  };
  for (const auto& [first, count] : reference.parts)
    run_named(candidate, reference.names, SampleSubset(source, consecutive_samples(source, first, count)), settings,
              add);
  reporter.end();
  found.report = summarize_errors(reference.names, totals, measured);
  add_score_decisions(totals, rows, found);
  find_worst(reference, by_sample, names, found);
  return found;
}

}  // namespace detent
