#include "evaluate/closing_error.h"

#include <algorithm>
#include <cmath>

#include "core/float_type.h"
#include "core/mean.h"
#include "detections/average_precision.h"
#include "detections/detection_error.h"
#include "detent/base/progress.h"
#include "evaluate/class_output.h"
#include "evaluate/compared_values.h"
#include "evaluate/first_nan.h"
#include "evaluate/match_rows.h"
#include "evaluate/paired_detections.h"
#include "evaluate/prepared_model.h"
#include "evaluate/score_error.h"
#include "evaluate/trial.h"
#include "run/own_steps.h"
#include "run/run_over.h"
#include "run/sample_subset.h"
#include "run/workers.h"

namespace detent {

namespace {

/// Bytes of the reference's outputs that are kept: with very large outputs fewer samples are measured.
constexpr size_t kKeptBytes = size_t{128} << 20;

/// Runs a model over samples up to the named values; `take` gets them in order, as the `expected` of a batch without
/// inputs.
template <class Take>
void run_named(const Model& model, const std::vector<std::string>& names, const DataSource& source,
               const RunSettings& settings, Take&& take) {
  const PreparedModel prepared(model, names, team_size(settings, source), settings.products);
  const std::vector<SampleAxis> axes = prepared.sample_axes(source, settings);
  std::vector<BufferPool> pools(worker_count(settings));
  const auto run = [&](size_t slot, std::vector<Sample>&& samples, size_t real) {
    JudgedBatch batch = stack_batch(std::move(samples), real, {.axes = axes}, nullptr);
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

/// Adds the decisions of an output that is not float.
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

/// Returns the output with the smallest share of agreeing decisions, of equals the first; nullopt without decisions.
std::optional<Decisions> worst_decisions(const std::vector<Decisions>& outputs) {
  std::optional<Decisions> worst;
  for (const Decisions& one : outputs)
    if (one.all > 0 && (!worst || one.agreeing * worst->all < worst->agreeing * one.all)) worst = one;
  return worst;
}

/// The name and sums, by output, of a sample.
using SampleSums = std::pair<std::string, std::vector<ErrorSums>>;

/// Finds the worst sample at outputs that hold no detections; NaN is the worst. Its noise is relative to its own signal
/// or the average sample's, whichever is larger.
std::optional<ClosingError::Named> find_worst_sample(const std::map<size_t, SampleSums>& samples, size_t outputs) {
  std::optional<ClosingError::Named> worst;
  const auto counts = [](const ErrorSums& sums) { return sums.is_float && !sums.detections; };
  for (size_t i = 0; i < outputs; ++i) {
    double signal = 0, finite = 0;
    for (const auto& [index, sample] : samples)
      if (const ErrorSums& sums = sample.second[i]; counts(sums)) signal += sums.signal, ++finite;
    if (signal == 0) continue;
    for (const auto& [index, sample] : samples) {
      const ErrorSums& sums = sample.second[i];
      if (!counts(sums)) continue;
      const double db = sqnr_db(std::max(sums.signal, signal / finite), sums.noise);
      if (!worst || std::isnan(db) || db < worst->sqnr_db) worst = {sample.first, db};
    }
  }
  return worst;
}

/// Returns the names of outputs that hold scores from 0 to 1.
std::vector<std::string> bounded_in(std::span<const OutputReading> readings) {
  std::vector<std::string> names;
  for (const OutputReading& one : readings)
    if (one.bounded) names.push_back(one.name);
  return names;
}

/// Sums over all samples, output by output.
struct ClosingTotals {
  std::vector<ErrorSums> sums;
  std::vector<Decisions> decisions;
  std::vector<const OutputReading*> readings;
  std::vector<bool> comparable;
  bool only_integers = true;
  std::vector<MatchedDetections> matched = {};  // by sample
  double scores_lost = 0;                       // of detections that both models have, relative to FP32's
  size_t scores = 0;
  EmbeddingErrors embeddings;
  BlockErrors blocks;
  std::vector<ShownDetections> shown = {};  // by sample

  explicit ClosingTotals(const ReferenceOutputs& reference)
      : sums(reference.names.size()), decisions(reference.names.size()), comparable(reference.names.size(), true),
        blocks(reference.forms.blocks, bounded_in(reference.forms.readings)) {
    for (size_t i = 0; i < decisions.size(); ++i) {
      decisions[i].name = reference.names[i];
      readings.push_back(find_reading(reference.forms.readings, reference.names[i]));
    }
    for (const auto& [index, tensors] : reference.tensors)
      for (const Tensor& tensor : tensors) only_integers = only_integers && !is_floating_point(tensor.type());
  }

  /// Returns the sums of one batch at output `i`, and counts its decisions.
  ErrorSums compare(size_t i, const Tensor& expected, const Tensor& output, const JudgedBatch& batch) {
    comparable[i] = comparable[i] && !expected.empty_handle() == !output.empty_handle() &&
                    expected.is_sequence() == output.is_sequence() &&
                    (expected.empty_handle() || expected.is_sequence() || expected.shape() == output.shape());
    if (!comparable[i]) return {};
    const std::vector<uint8_t> counted =
        counted_elements(expected.shape(), batch.content, batch.axes.empty() ? SampleAxis{} : batch.axes[i]);
    ErrorSums one = ErrorSums::of(expected, output, counted, readings[i]);
    if (one.is_float && !std::isfinite(one.signal)) one = {};
    if (!readings[i]) one.positions = one.agreeing = 0;  // inner values, in front of what cannot run, decide nothing
    if (one.is_float && readings[i]) embeddings.add(*readings[i], expected, output, batch.real, counted);
    if (one.is_float) blocks.add(decisions[i].name, expected, output, counted);
    if (one.integers > 0) add_integers(expected, output, counted, one, only_integers, decisions[i]);
    return one;
  }

  /// Adds one batch and returns its sums by output.
  std::vector<ErrorSums> add(const ReferenceOutputs& reference, const JudgedBatch& batch) {
    const std::vector<Tensor>& expected = reference.tensors.at(batch.index);
    const DetectionLayout* layout = reference.forms.detections ? &*reference.forms.detections : nullptr;
    std::optional<PairedDetections> pairs;
    if (layout) pairs = pair_detections_in(batch, *layout, reference.names, expected, batch.expected);
    const std::vector<Tensor> outputs = match_rows(reference.forms.rows, reference.names, expected, batch.expected);
    std::vector<ErrorSums> own(expected.size());
    for (size_t i = 0; i < expected.size(); ++i)
      if (!pairs || !layout->holds(reference.names[i])) own[i] = compare(i, expected[i], outputs[i], batch);
    if (pairs) {
      pairs->replace_errors(own, *layout, reference.names);
      add_detections(*pairs, batch);
    }
    for (size_t i = 0; i < own.size(); ++i) sums[i] += own[i];
    return own;
  }

  void add_detections(const PairedDetections& pairs, const JudgedBatch& batch) {
    for (size_t n = 0; n < batch.real; ++n) {
      matched.push_back(pairs.match_shown(n));
      shown.push_back(ShownDetections::of(batch.sample_names[n], pairs.expected[n], pairs.found[n]));
      for (const DetectionPair& pair : pair_detections(pairs.expected[n], pairs.found[n])) {
        if (!pair.expected || !pair.found || pair.expected->score < kShownFrom) continue;
        scores_lost += std::abs(pair.expected->score - pair.found->score) / pair.expected->score;
        ++scores;
      }
    }
  }

  [[nodiscard]] bool is(size_t i, OutputMeaning meaning) const {
    return sums[i].sqnr_db() && sums[i].meaning() == meaning;
  }

  /// Adds the decisions of rows of scores: only all samples show which outputs are classes.
  void add_score_decisions() {
    for (size_t i = 0; i < sums.size(); ++i) {
      if (sums[i].by_sign || !is(i, OutputMeaning::Classes)) continue;
      decisions[i].all += static_cast<size_t>(sums[i].positions);
      decisions[i].agreeing += static_cast<size_t>(sums[i].agreeing);
    }
  }

  /// Returns the outputs with decisions.
  [[nodiscard]] std::vector<std::string> deciding() const {
    std::vector<std::string> names;
    for (const Decisions& one : decisions)
      if (one.all > 0) names.push_back(one.name);
    return names;
  }

  /// Adds the errors of outputs that are embeddings, and returns their names: nothing else judges them.
  std::vector<std::string> take_embeddings(ClosingError& found) {
    std::vector<std::string> names;
    for (size_t i = 0; i < sums.size(); ++i) {
      if (!is(i, OutputMeaning::Embedding)) continue;
      const auto error = embeddings.error_of(decisions[i].name);
      if (!error) continue;
      blocks.forget(decisions[i].name);
      const ClosingError::Embedding one{decisions[i].name, *error};
      names.push_back(one.name);
      auto &cosine = found.worst_cosine, &neighbours = found.worst_neighbours;
      if (!cosine || !(error->cosine >= cosine->error.cosine)) cosine = one;
      const auto share = [](const EmbeddingErrors::Error& e) {
        return static_cast<double>(e.changed) / static_cast<double>(e.samples);
      };
      if (error->samples > 0 && (!neighbours || share(*error) > share(neighbours->error))) neighbours = one;
    }
    return names;
  }

  /// Describes the judged outputs of the graph; inner values, which stand for outputs that cannot be computed, mean
  /// nothing by themselves.
  [[nodiscard]] std::vector<OutputReport> describe() const {
    std::vector<OutputReport> outputs;
    for (size_t i = 0; i < sums.size(); ++i)
      if (readings[i]) outputs.push_back(describe_output(*readings[i], sums[i].rows));
    return outputs;
  }

  void forget_uncomparable(ClosingError& found) {
    for (size_t i = 0; i < sums.size(); ++i) {
      if (comparable[i]) continue;
      sums[i] = {};
      decisions[i].all = 0;
      blocks.forget(decisions[i].name);
      found.uncomparable.push_back(decisions[i].name);
    }
  }
};

std::optional<ErrorReport::Detections> agreement_of(const std::vector<MatchedDetections>& samples) {
  MatchedDetections all;
  for (const MatchedDetections& one : samples) all += one;
  const auto precision = average_precision(all);
  if (!precision) return std::nullopt;
  ErrorReport::Detections found{.agreement = precision->map};
  for (const MatchedDetections::Count& count : all.counts) found.shown += count.objects.front();
  std::vector<const MatchedDetections*> by_sample;
  for (const MatchedDetections& one : samples) by_sample.push_back(&one);
  found.error = precision_errors({by_sample}).own.front();
  return found;
}

/// Returns the output with the lowest SQNR; those with scores are judged by their blocks, those with detections that
/// have a score by that. NaN is the lowest. without  outputs that are judged otherwise
std::optional<ClosingError::Named> worst_of(const ErrorReport& report, const BlockErrors& blocks,
                                            const std::vector<std::string>& without) {
  std::optional<ClosingError::Named> worst;
  for (const ErrorReport::Output& one : report.outputs) {
    const bool scored = report.detections && one.kind == OutputKind::Detections;
    if (std::ranges::count(without, one.name) > 0) continue;
    if (one.sqnr_db && !scored && !blocks.holds_scores(one.name) && (!worst || !(*one.sqnr_db >= worst->sqnr_db)))
      worst = {one.name, *one.sqnr_db};
  }
  return worst;
}

/// The first sample, by its place in the source, in which each output holds NaN.
class FirstNans {
 public:
  explicit FirstNans(size_t outputs) : first_(outputs) {}

  void look_at(const JudgedBatch& batch) {
    for (size_t i = 0; i < first_.size(); ++i)
      if (holds_nan(batch.expected[i]) && (!first_[i] || batch.index < first_[i]->first))
        first_[i] = {batch.index, batch.sample_names.front()};
  }

  /// Returns a sentence for each output with NaN.
  [[nodiscard]] std::vector<std::string> sentences(const Model& model, const std::vector<std::string>& names,
                                                   const DataSource& source, const RunSettings& settings) const {
    std::vector<std::string> found;
    for (size_t i = 0; i < first_.size(); ++i) {
      if (!first_[i]) continue;
      const auto& [index, sample] = *first_[i];
      size_t place = 0;
      while (place + 1 < source.size() && source.sample_name(place) != sample) ++place;
      const std::string origin = origin_of_nan(model, names[i], source, place, settings);
      found.push_back("FP32 has NaN in output '" + names[i] + "', first in sample '" + sample + "'" +
                      (origin.empty() ? "" : ", made by " + origin) + ": such samples are not compared there");
    }
    return found;
  }

 private:
  std::vector<std::optional<std::pair<size_t, std::string>>> first_;
};

}  // namespace

ReferenceOutputs keep_outputs(const Model& reference, const DataSource& source, size_t samples,
                              const RunSettings& settings, size_t steps) {
  ReferenceOutputs kept;
  kept.steps = steps;
  kept.names = judged_ends(reference.graph(), settings);
  kept.not_compared = not_compared_text(reference.graph(), settings);
  kept.forms = recognize_outputs(reference, source, settings);
  const size_t wanted = std::min(samples, source.size());
  Reporter& reporter = *settings.reporter;
  reporter.begin("running FP32", wanted);
  FirstNans nans(kept.names.size());
  const auto keep = [&](JudgedBatch&& batch) {
    nans.look_at(batch);
    kept.tensors.emplace(batch.index, std::move(batch.expected));
    reporter.advance_to(kept.samples += batch.real);
  };
  // The outputs of the first batch, or of all steps of the first sample, tell the size of the others'.
  const size_t first = steps > 0 ? steps : source.batch();
  kept.parts = {{0, std::min(first, wanted)}};
  run_named(reference, kept.names, SampleSubset(source, consecutive_samples(source, 0, kept.parts[0].second)), settings,
            keep);
  if (wanted > first) {  // the first batch may have been skipped as unreadable: then the size is not known
    size_t bytes = 0;
    for (const auto& [index, tensors] : kept.tensors) bytes += bytes_of(tensors);
    const size_t fitting = first + kKeptBytes / std::max<size_t>(1, bytes) * first;
    kept.parts.emplace_back(first, std::min(wanted, fitting) - first);
    run_named(reference, kept.names, SampleSubset(source, consecutive_samples(source, first, kept.parts[1].second)),
              settings, keep);
  }
  reporter.end();
  kept.not_numbers = nans.sentences(reference, kept.names, source, settings);
  for (const std::string& sentence : kept.not_numbers) reporter.warn(sentence);
  return kept;
}

namespace {

/// The sums of some steps of all samples, by output.
class StepSums {
 public:
  StepSums(size_t steps, size_t outputs) : steps_(steps) {
    for (const size_t step : {std::min<size_t>(1, steps), steps / 2, steps})
      if (step > 0) sums_.try_emplace(step, outputs);
  }

  void add(size_t index, const std::vector<ErrorSums>& own) {
    if (steps_ == 0) return;
    const auto at = sums_.find(index % steps_ + 1);
    for (size_t i = 0; at != sums_.end() && i < own.size(); ++i) at->second[i] += own[i];
  }
  [[nodiscard]] std::vector<ErrorReport::AtStep> describe(const std::vector<std::string>& names, size_t samples) const {
    std::vector<ErrorReport::AtStep> all;
    for (const auto& [step, sums] : sums_) {
      const ErrorReport one = summarize_errors(names, sums, samples);
      all.push_back({step, one.sqnr_db, one.cosine, one.argmax_agreement});
    }
    return all;
  }
  void forget(size_t output) {
    for (auto& [step, sums] : sums_) sums[output] = {};
  }

 private:
  size_t steps_;
  std::map<size_t, std::vector<ErrorSums>> sums_;  // by step, from 1 on
};

/// Returns the interval of the worst output's SQNR, over samples that are independent of each other.
std::optional<std::pair<double, double>> interval_of(const std::vector<std::string>& names,
                                                     const std::vector<ErrorSums>& all,
                                                     const std::map<size_t, SampleSums>& samples) {
  const double whole = worst_sqnr_db(summarize_errors(names, all, samples.size()));
  std::vector<double> without_one;
  for (const auto& [index, sample] : samples) {
    std::vector<ErrorSums> rest = all;
    for (size_t i = 0; i < rest.size(); ++i) {
      rest[i].signal = std::max(0.0, rest[i].signal - sample.second[i].signal);
      rest[i].noise = std::max(0.0, rest[i].noise - sample.second[i].noise);
    }
    without_one.push_back(worst_sqnr_db(summarize_errors(names, rest, samples.size() - 1)));
  }
  const double error = jackknife_error(without_one, std::vector<double>(without_one.size()));
  if (!std::isfinite(error) || std::abs(whole) >= kExactDb) return std::nullopt;
  const double half = interval_errors(samples.size()) * error;
  return std::pair(whole - half, whole + half);
}

}  // namespace

ClosingError measure_closing_error(const ReferenceOutputs& reference, const Model& candidate, const DataSource& source,
                                   const RunSettings& settings) {
  ClosingTotals totals(reference);
  std::map<size_t, SampleSums> samples;
  ClosingError found;
  found.not_numbers = reference.not_numbers;
  size_t measured = 0;
  Reporter& reporter = *settings.reporter;
  reporter.begin("measuring the error", reference.samples);
  const size_t steps = reference.steps;
  StepSums by_step(steps, reference.names.size());
  const auto add = [&](JudgedBatch&& batch) {
    std::vector<ErrorSums> own = totals.add(reference, batch);
    by_step.add(batch.index, own);
    auto& [name, sums] = samples[batch.index / std::max<size_t>(1, steps)];
    if (name.empty()) name = steps > 0 ? sample_of_step(batch.sample_names.front()) : batch.sample_names.front();
    sums.resize(own.size());
    for (size_t i = 0; i < own.size(); ++i) sums[i] += own[i];
    reporter.advance_to(measured += batch.real);
  };
  for (const auto& [first, count] : reference.parts)
    run_named(candidate, reference.names, SampleSubset(source, consecutive_samples(source, first, count)), settings,
              add);
  reporter.end();
  totals.forget_uncomparable(found);
  totals.add_score_decisions();
  for (auto& [index, sample] : samples)
    for (size_t i = 0; i < sample.second.size(); ++i)
      if (!totals.comparable[i]) sample.second[i] = {};
  found.report = summarize_errors(reference.names, totals.sums, steps > 0 ? samples.size() : measured);
  if (steps > 0) {
    for (size_t i = 0; i < totals.comparable.size(); ++i)
      if (!totals.comparable[i]) by_step.forget(i);
    found.report.steps = by_step.describe(reference.names, samples.size());
    found.report.sqnr_db_interval = interval_of(reference.names, totals.sums, samples);
  }
  found.report.not_compared = reference.not_compared;
  for (const auto& [index, sample] : samples)
    found.report.by_sample.push_back(
        {sample.first, summarize_errors(reference.names, sample.second, 1).sqnr_db, std::nullopt});
  found.decisions = worst_decisions(totals.decisions);
  found.report.detections = agreement_of(totals.matched);
  if (found.report.detections && totals.scores > 0)
    found.report.detections->score_loss = totals.scores_lost / static_cast<double>(totals.scores);
  found.outputs = totals.describe();
  const std::vector<std::string> embeddings = totals.take_embeddings(found);
  found.detects_nothing = !totals.matched.empty() && !found.report.detections;
  found.shown = std::move(totals.shown);
  found.worst_about_mean = totals.blocks.worst_output(totals.deciding());
  found.worst_block = totals.blocks.worst_block();
  found.worst_unseen_block = totals.blocks.worst_unseen_block();
  found.nearly_constant = totals.blocks.nearly_constant(totals.deciding());
  found.worst_output = worst_of(found.report, totals.blocks, embeddings);
  found.worst_sample = find_worst_sample(samples, reference.names.size());
  return found;
}

}  // namespace detent
