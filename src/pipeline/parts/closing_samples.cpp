#include "pipeline/parts/closing_samples.h"

#include <algorithm>
#include <set>

#include "calibrate/outlier_samples.h"
#include "calibrate/sample_tracker.h"
#include "core/text.h"
#include "detent/base/error.h"
#include "run/greedy_decoder.h"
#include "run/open_samples.h"
#include "run/sample_counts.h"
#include "run/sample_subset.h"

namespace detent {

namespace {

/// Two thirds of a second of one core for each of the two models, at 15e9 a second.
constexpr double kMacs = 10e9;
constexpr const char* kWithoutOutliers = " without the clipped outliers";

/// Returns how many samples to measure on: as many as kMacs or a tenth of the calibration samples pay for, at least
/// kClosingSamples. Independent of the machine.
size_t samples_to_measure(const QuantizeOptions& options, const Prepared& prepared, const Calibration& calibration) {
  const size_t batch = prepared.data ? prepared.data->batch() : 1;
  const double steps = static_cast<double>(prepared.recipe.data.steps.value_or(1));  // a sample runs all of them
  const double macs = static_cast<double>(prepared.plan.coverage.macs) / static_cast<double>(batch) * steps;
  const double paid = macs > 0 ? kMacs / macs : 0;
  const double wanted =
      std::max({paid, static_cast<double>(calibration.samples) / steps / 10, static_cast<double>(kClosingSamples)});
  return wanted >= static_cast<double>(options.error_samples) ? options.error_samples : static_cast<size_t>(wanted);
}

std::set<Digest> contents_of(const std::vector<TableSample>& samples) {
  std::set<Digest> contents;
  for (const TableSample& sample : samples) contents.insert(sample.content);
  return contents;
}

/// Returns those of `candidates`, `wanted` at most, whose content is that of no calibration sample.
/// place  of the sample in `data` that tells for a candidate
template <class Place>
std::vector<size_t> beside_calibration(const DataSource& data, const std::vector<size_t>& candidates,
                                       const Calibration& calibration, size_t wanted, const RunSettings& run,
                                       Place&& place) {
  const std::set<Digest> known = contents_of(calibration.identities);
  std::vector<size_t> others;
  for (const size_t i : candidates) {
    if (others.size() == wanted) break;
    try {
      const Sample sample = data.read(place(i));
      if (!known.contains(SampleTracker::identify({&sample, 1}).front().content)) others.push_back(i);
    } catch (const Error& error) {
      if (!run.skip_bad_data || error.code() != ErrorCode::InvalidData) throw;
    }
  }
  return others;
}

const DataSource& hold(ClosingSamples& chosen, std::unique_ptr<DataSource> source) {
  return *chosen.held.emplace_back(std::move(source));
}

/// Completes the choice with these samples of `source`.
ClosingSamples take(ClosingSamples&& chosen, const DataSource& source, std::vector<size_t> indices,
                    std::string what = {}) {
  chosen.source = std::make_unique<IdentifiedSamples>(std::make_unique<SampleSubset>(source, std::move(indices)));
  chosen.what = std::move(what);
  return std::move(chosen);
}

/// Completes the choice with samples of `source`, the steps that `data` opens.
ClosingSamples take_steps(ClosingSamples&& chosen, const SampleRequest& data, const DataSource& source,
                          const std::vector<size_t>& samples, std::string what = {}) {
  chosen.steps.emplace(data, source, samples);
  chosen.suffix += ", over " + plural(*data.steps, "step") + " of each model fed by its own states";
  return take(std::move(chosen), source, chosen.steps->positions(), std::move(what));
}

/// Chooses the samples of --eval: all, or some of clips whose texts are judged, since steps take longer than texts.
ClosingSamples all_of(const SampleRequest& eval, const Model& model, bool judges_texts = false) {
  ClosingSamples chosen;
  const DataSource& all = hold(chosen, open_samples(eval, model));
  if (eval.steps) {
    const std::vector<size_t> samples = judges_texts ? stepped_samples_by_hash(all, *eval.steps, kFewestToJudge)
                                                     : consecutive_samples(all, 0, all.size() / *eval.steps);
    return take_steps(std::move(chosen), eval, all, samples, "evaluation samples");
  }
  return take(std::move(chosen), all, consecutive_samples(all, 0, all.size()), "evaluation samples");
}

}  // namespace

void ClosingSamples::keep_reference(const Model& float32, const RunSettings& run) {
  if (steps)
    reference = steps->keep_reference(float32, *source, run);
  else if (source)
    reference = keep_outputs(float32, *source, source->size(), run);
}

std::optional<ClosingError> ClosingSamples::error_of(const Model& model, const RunSettings& run) const {
  if (!source) return std::nullopt;
  if (steps) return steps->error_of(reference, model, run);
  return measure_closing_error(reference, model, *source, run);
}

std::string ClosingSamples::text(const std::vector<TableSample>& known) const {
  if (!source || !what.empty()) return what + suffix;
  const size_t calibrated = count_read(known);   // the first step is often the same for all samples
  if (known.empty()) return "samples" + suffix;  // an imported table names no samples
  if (calibrated == 0) return "samples outside the calibration set" + suffix;
  return (calibrated == source->count() / (steps ? steps->count() : 1) ? "calibration samples" : "samples") + suffix;
}

size_t ClosingSamples::count_read(const std::vector<TableSample>& known) const {
  return count_known(known) / (steps ? steps->count() : 1);
}

size_t ClosingSamples::count_known(const std::vector<TableSample>& known) const {
  if (!source) return 0;
  const std::set<Digest> contents = contents_of(known);
  const auto is_known = [&](const TableSample& sample) { return contents.contains(sample.content); };
  return static_cast<size_t>(std::ranges::count_if(source->identities(), is_known));
}

ClosingSamples closing_samples(const QuantizeWeightsOptions& options, const RequestedSamples& requested,
                               const DataSource* data, const Model& model) {
  if (requested.eval.given()) return all_of(requested.eval, model);
  if (const auto& steps = requested.data.steps; data && steps)
    return take_steps({}, requested.data, *data, stepped_samples_by_hash(*data, *steps, options.error_samples),
                      "samples");
  if (data) return take({}, *data, samples_by_hash(*data, options.error_samples), "samples");
  return {};
}

namespace {

/// Returns how many candidates to look at for `wanted` samples of another content.
size_t looked_at(size_t wanted) { return 2 * std::max(wanted, kFewestToJudge); }

SampleRequest unlimited(SampleRequest data) {
  data.limit.reset();
  return data;
}

/// Opens the data with the samples beyond --limit; nullptr where calibration left out none.
std::unique_ptr<DataSource> open_unlimited(const Prepared& prepared) {
  const SampleRequest& data = prepared.recipe.data;
  if (prepared.table || !data.limit || data.shard_count != 1) return nullptr;
  return open_samples(unlimited(data), prepared.model());
}

/// Chooses among samples that are cut into steps. The last step, with the states of those before it, tells samples
/// apart.
ClosingSamples closing_steps(const QuantizeOptions& options, const Prepared& prepared, const Measured& measured,
                             size_t wanted) {
  const SampleRequest& data = prepared.recipe.data;
  const size_t steps = *data.steps;
  ClosingSamples chosen;
  if (auto opened = open_unlimited(prepared)) {
    const DataSource& whole = hold(chosen, std::move(opened));
    const std::vector<size_t> found = beside_calibration(
        whole, stepped_samples_by_hash(whole, steps, looked_at(wanted), *data.limit), measured.calibration, wanted,
        options.run, [&](size_t sample) { return sample * steps + steps - 1; });
    if (found.size() >= kFewestToJudge) return take_steps(std::move(chosen), unlimited(data), whole, found);
  }
  if (options.outliers == OutlierPolicy::Clip && !measured.outliers.empty()) {
    const std::vector<size_t> usual = stepped_samples_by_hash(*prepared.data, steps, wanted, 0, measured.outliers);
    if (usual.size() >= kFewestToJudge) {
      chosen.suffix = kWithoutOutliers;
      return take_steps(std::move(chosen), data, *prepared.data, usual);
    }
  }
  return take_steps(std::move(chosen), data, *prepared.data, stepped_samples_by_hash(*prepared.data, steps, wanted));
}

}  // namespace

ClosingSamples closing_samples(const QuantizeOptions& options, const Prepared& prepared, const Measured& measured) {
  const Calibration& calibration = measured.calibration;
  const size_t wanted = samples_to_measure(options, prepared, calibration);
  const SampleRequest &data = prepared.recipe.data, &eval = prepared.recipe.eval;
  const bool judges_texts = decodes(eval) && !options.bound.evaluation.transcripts.empty();
  if (eval.given()) return all_of(eval, prepared.model(), judges_texts);
  if (!prepared.data) return {};
  if (data.steps) return closing_steps(options, prepared, measured, wanted);
  ClosingSamples chosen;
  const auto others_in = [&](const DataSource& source) {
    return beside_calibration(source, samples_by_hash(source, looked_at(wanted)), calibration, wanted, options.run,
                              [](size_t sample) { return sample; });
  };
  if (prepared.table && !calibration.identities.empty()) {
    std::vector<size_t> found = others_in(*prepared.data);
    if (found.size() >= kFewestToJudge) return take(std::move(chosen), *prepared.data, std::move(found));
  } else if (auto opened = open_unlimited(prepared)) {
    const DataSource& whole = hold(chosen, std::move(opened));
    const DataSource& beyond =
        hold(chosen, std::make_unique<SampleSubset>(whole, consecutive_samples(whole, *data.limit, whole.size())));
    std::vector<size_t> found = others_in(beyond);
    if (found.size() >= kFewestToJudge) return take(std::move(chosen), beyond, std::move(found));
  }
  const std::vector<std::string> extremes = samples_of_extremes(calibration, kMostExtremes);
  const auto take_calibrated = [&](const DataSource& source) {
    return take(std::move(chosen), source, samples_by_hash(source, wanted, {extremes.begin(), extremes.end()}));
  };
  // Clipped ranges cut outliers on purpose: their error would hide that of all other samples.
  if (options.outliers == OutlierPolicy::Clip && !measured.outliers.empty()) {
    const std::vector<size_t> usual = samples_without(*measured.samples, measured.outliers);
    if (usual.size() >= kFewestToJudge) {
      chosen.suffix = kWithoutOutliers;
      return take_calibrated(hold(chosen, std::make_unique<SampleSubset>(*measured.samples, usual)));
    }
  }
  return take_calibrated(*measured.samples);
}

}  // namespace detent
