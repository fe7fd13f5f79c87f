#include "evaluate/closing_error.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/float_type.h"
#include "detent/base/progress.h"
#include "evaluate/class_output.h"
#include "evaluate/prepared_model.h"
#include "evaluate/trial.h"
#include "exec/runnable_part.h"
#include "run/run_over.h"
#include "run/sample_subset.h"
#include "run/workers.h"

namespace detent {

namespace {

/// Outputs of the reference that are held: fewer samples are measured where outputs are very large.
constexpr size_t kKeptBytes = size_t{128} << 20;

/// Runs a model over samples as far as the named values; `take` gets them in order, as what is expected of a batch
/// without inputs.
template <class Take>
void run_named(const Model& model, const std::vector<std::string>& names, const DataSource& source,
               const RunSettings& settings, Take&& take) {
  const PreparedModel prepared(model, names, team_size(settings, source), settings.products);
  const std::vector<SampleAxis> axes = prepared.sample_axes(source, settings);
  std::vector<BufferPool> pools(worker_count(settings));
  const auto run = [&](size_t slot, std::vector<Sample>&& samples, size_t real) {
    JudgedBatch batch = stack_batch(std::move(samples), real, axes, nullptr);
    batch.expected = batch.counted(prepared.run(batch.inputs, pools[slot]));
    batch.inputs.clear();
    return batch;
  };
  run_over<JudgedBatch>({.source = source, .settings = settings, .refuse_empty = {}}, run, take);
}

size_t bytes_of(const std::vector<Tensor>& tensors) {
  size_t bytes = 0;
  for (const Tensor& tensor : tensors) bytes += tensor.byte_count();
  return bytes;
}

using Decisions = ClosingError::Decisions;

/// Decisions of an output that is no float.
void add_integers(const Tensor& expected, const Tensor& output, const std::vector<uint8_t>& counted,
                  const ErrorSums& sums, bool only_integers, Decisions& found) {
  const int64_t samples = expected.shape().rank() > 0 ? expected.shape()[0] : 0;
  const auto classes_of = [&](const Tensor& tensor) {
    auto classes = ClassOutput::of_samples(tensor, samples);
    return classes ? classes : ClassOutput::of_pixels(tensor, samples);
  };
  const auto a = classes_of(expected), b = classes_of(output);
  if (a && b) {
    const int64_t each = a->height() * a->width();
    const bool cut = std::ssize(counted) == samples * each;
    for (int64_t n = 0; n < samples; ++n)
      for (int64_t position = 0; position < each; ++position) {
        if (cut && counted[static_cast<size_t>(n * each + position)] == 0) continue;
        ++found.all;
        found.agreeing += a->class_at(n, position) == b->class_at(n, position);
      }
  } else if (only_integers) {
    found.classes = false;
    found.all += static_cast<size_t>(sums.integers);
    found.agreeing += static_cast<size_t>(sums.integers - sums.differing);
  }
}

/// The output with the smallest share of agreeing decisions, of equals the first; none where nothing is decided.
std::optional<Decisions> worst_decisions(const std::vector<Decisions>& outputs) {
  std::optional<Decisions> worst;
  for (const Decisions& one : outputs)
    if (one.all > 0 && (!worst || one.agreeing * worst->all < worst->agreeing * one.all)) worst = one;
  return worst;
}

/// NaN is worse than any number.
void keep_worst(std::optional<ClosingError::Named>& worst, const std::string& name, double sqnr_db) {
  if (!worst || std::isnan(sqnr_db) || sqnr_db < worst->sqnr_db) worst = {name, sqnr_db};
}

/// A sample's noise is held against its own signal or the average sample's.
void find_worst_sample(const std::map<size_t, std::vector<ErrorSums>>& by_sample,
                       const std::map<size_t, std::string>& names, ClosingError& found) {
  const size_t outputs = by_sample.empty() ? 0 : by_sample.begin()->second.size();
  for (size_t i = 0; i < outputs; ++i) {
    double signal = 0, finite = 0;
    for (const auto& [index, sums] : by_sample)
      if (sums[i].is_float) signal += sums[i].signal, ++finite;
    if (signal == 0) continue;
    for (const auto& [index, sums] : by_sample)
      if (sums[i].is_float)
        keep_worst(found.worst_sample, names.at(index),
                   sqnr_db(std::max(sums[i].signal, signal / finite), sums[i].noise));
  }
}

/// Sums over all samples, output by output.
struct ClosingTotals {
  std::vector<ErrorSums> sums;
  std::vector<Decisions> decisions;
  std::vector<bool> comparable, rows;  // rows: of rank 2 in all samples
  bool only_integers = true;

  explicit ClosingTotals(const ReferenceOutputs& reference)
      : sums(reference.names.size()), decisions(reference.names.size()), comparable(reference.names.size(), true),
        rows(reference.names.size(), true) {
    for (size_t i = 0; i < decisions.size(); ++i) decisions[i].name = reference.names[i];
    for (const auto& [index, tensors] : reference.tensors)
      for (const Tensor& tensor : tensors) only_integers = only_integers && !is_floating_point(tensor.type());
  }

  /// The sums of one batch at output `i`.
  ErrorSums add(size_t i, const Tensor& expected, const JudgedBatch& batch) {
    const Tensor& output = batch.expected[i];
    comparable[i] = comparable[i] && !expected.empty_handle() == !output.empty_handle() &&
                    expected.is_sequence() == output.is_sequence() &&
                    (expected.empty_handle() || expected.is_sequence() || expected.shape() == output.shape());
    if (!comparable[i]) return {};
    const std::vector<uint8_t> counted =
        counted_elements(expected.shape(), batch.content, batch.axes.empty() ? SampleAxis{} : batch.axes[i]);
    ErrorSums one = ErrorSums::of(expected, output, counted);
    if (one.is_float && !std::isfinite(one.signal)) one = {};
    rows[i] = rows[i] && expected.shape().rank() == 2;
    if (one.integers > 0) add_integers(expected, output, counted, one, only_integers, decisions[i]);
    sums[i] += one;
    return one;
  }

  /// Rows of scores: which outputs tell classes is known when all samples were seen.
  void add_score_decisions() {
    for (size_t i = 0; i < sums.size(); ++i) {
      if (!sums[i].is_float || sums[i].by_sign || !rows[i] || !sums[i].tells_classes()) continue;
      decisions[i].all += static_cast<size_t>(sums[i].positions);
      decisions[i].agreeing += static_cast<size_t>(sums[i].agreeing);
    }
  }

  void forget_uncomparable(ClosingError& found) {
    for (size_t i = 0; i < sums.size(); ++i) {
      if (comparable[i]) continue;
      sums[i] = {};
      decisions[i].all = 0;
      found.uncomparable.push_back(decisions[i].name);
    }
  }
};

}  // namespace

ReferenceOutputs keep_outputs(const Model& reference, const DataSource& source, size_t samples,
                              const RunSettings& settings) {
  ReferenceOutputs kept;
  kept.names = names_of(reference.graph(), RunnablePart(reference.graph()).ends());
  const size_t wanted = std::min(samples, source.size());
  Reporter& reporter = *settings.reporter;
  reporter.begin("running FP32", wanted);
  const auto keep = [&](JudgedBatch&& batch) {
    kept.tensors.emplace(batch.index, std::move(batch.expected));
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
  ClosingTotals totals(reference);
  std::map<size_t, std::vector<ErrorSums>> by_sample;
  ClosingError found;
  size_t measured = 0;
  Reporter& reporter = *settings.reporter;
  reporter.begin("measuring the error", reference.samples);
  std::map<size_t, std::string> names;
  const auto add = [&](JudgedBatch&& batch) {
    const std::vector<Tensor>& expected = reference.tensors.at(batch.index);
    std::vector<ErrorSums>& sums = by_sample[batch.index];
    names[batch.index] = std::move(batch.name);
    for (size_t i = 0; i < expected.size(); ++i) sums.push_back(totals.add(i, expected[i], batch));
    reporter.advance_to(measured += batch.real);
  };
  for (const auto& [first, count] : reference.parts)
    run_named(candidate, reference.names, SampleSubset(source, consecutive_samples(source, first, count)), settings,
              add);
  reporter.end();
  totals.forget_uncomparable(found);
  totals.add_score_decisions();
  for (auto& [index, sums] : by_sample)
    for (size_t i = 0; i < sums.size(); ++i)
      if (!totals.comparable[i]) sums[i] = {};
  found.report = summarize_errors(reference.names, totals.sums, measured);
  found.decisions = worst_decisions(totals.decisions);
  if (found.report.sqnr_db) found.worst_output = {found.report.worst, *found.report.sqnr_db};
  find_worst_sample(by_sample, names, found);
  return found;
}

}  // namespace detent
