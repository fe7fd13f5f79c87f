#include "pipeline/parts/closing_samples.h"

#include <algorithm>
#include <set>

#include "calibrate/sample_tracker.h"
#include "detent/base/error.h"
#include "run/model_inputs.h"
#include "run/sample_subset.h"

namespace detent {

namespace {

constexpr size_t kFewest = 8;
/// Two thirds of a second of one core for each of the two models, at 15e9 a second (choose_calibrator).
constexpr double kMacs = 10e9;
constexpr size_t kAlways = 16;

/// How many samples to measure on: those that kMacs or a tenth of the calibration samples pay for, kAlways at least.
/// Never by the clock.
size_t samples_to_measure(const QuantizeOptions& options, const Prepared& prepared, const Calibration& calibration) {
  const size_t batch = prepared.data ? prepared.data->batch() : 1;
  const double macs = static_cast<double>(prepared.plan.coverage.macs) / static_cast<double>(batch);
  const double paid = macs > 0 ? kMacs / macs : 0;
  const double wanted = std::max({paid, static_cast<double>(calibration.samples) / 10, static_cast<double>(kAlways)});
  return wanted >= static_cast<double>(options.error_samples) ? options.error_samples : static_cast<size_t>(wanted);
}

/// Reads samples in the order of their hash until `wanted` are found whose content the table does not list; at most
/// twice as many.
std::vector<size_t> beside_table(const DataSource& data, const Calibration& calibration, size_t wanted,
                                 const RunSettings& run) {
  std::set<Digest> known;
  for (const TableSample& sample : calibration.identities) known.insert(sample.content);
  std::vector<size_t> others;
  for (const size_t i : samples_by_hash(data, 2 * std::max(wanted, kFewest))) {
    if (others.size() == wanted) break;
    try {
      const Sample sample = data.read(i);
      if (!known.contains(SampleTracker::identify({&sample, 1}).front().content)) others.push_back(i);
    } catch (const Error& error) {
      if (!run.skip_bad_data || error.code() != ErrorCode::InvalidData) throw;
    }
  }
  return others;
}

/// The data without --limit, and its indices from there on.
std::vector<size_t> beyond_limit(const DataSource& all, size_t limit) {
  return consecutive_samples(all, limit, all.size());
}

class Chooser {
 public:
  explicit Chooser(size_t wanted) : wanted_(wanted) {}

  /// All samples of --eval.
  ClosingSamples evaluation(const DataOptions& eval, const Graph& graph) {
    const DataSource& all = hold(open_samples(eval, graph));
    take(all, consecutive_samples(all, 0, all.size()), "evaluation samples");
    return done();
  }

  const DataSource& hold(std::unique_ptr<DataSource> source) {
    chosen_.held.push_back(std::move(source));
    return *chosen_.held.back();
  }
  /// The `wanted` samples with the smallest hash.
  void take_by_hash(const DataSource& source, std::string what) {
    take(source, samples_by_hash(source, wanted_), std::move(what));
  }
  void take(const DataSource& source, std::vector<size_t> indices, std::string what) {
    chosen_.source = std::make_unique<IdentifiedSamples>(std::make_unique<SampleSubset>(source, std::move(indices)));
    chosen_.what = std::move(what);
  }
  ClosingSamples done() { return std::move(chosen_); }

 private:
  size_t wanted_;
  ClosingSamples chosen_;
};

}  // namespace

void ClosingSamples::keep_reference(const Model& float32, const RunSettings& run) {
  if (source) reference = keep_outputs(float32, *source, source->size(), run);
}

std::optional<ClosingError> ClosingSamples::error_of(const Model& model, const RunSettings& run) const {
  if (!source) return std::nullopt;
  return measure_closing_error(reference, model, *source, run);
}

size_t ClosingSamples::count_read(const std::vector<TableSample>& known) const {
  if (!source) return 0;
  std::set<Digest> contents;
  for (const TableSample& sample : known) contents.insert(sample.content);
  const auto is_known = [&](const TableSample& sample) { return contents.contains(sample.content); };
  return static_cast<size_t>(std::ranges::count_if(source->identities(), is_known));
}

ClosingSamples closing_samples(const QuantizeWeightsOptions& options, const DataSource* data, const Graph& graph) {
  Chooser chooser(options.error_samples);
  const DataOptions& eval = options.bound.evaluation.data;
  if (eval.given()) return chooser.evaluation(eval, graph);
  if (data) chooser.take_by_hash(*data, "samples");
  return chooser.done();
}

ClosingSamples closing_samples(const QuantizeOptions& options, const Prepared& prepared, const Measured& measured) {
  const Calibration& calibration = measured.calibration;
  const size_t wanted = samples_to_measure(options, prepared, calibration);
  Chooser chooser(wanted);
  const DataOptions& eval = options.bound.evaluation.data;
  const Graph& graph = prepared.graph();
  if (eval.given()) return chooser.evaluation(eval, graph);
  if (!prepared.data) return chooser.done();
  const std::string others = "samples that were not calibrated with";
  // An imported table names no samples: nothing is known of what it was made with.
  const bool known = !calibration.identities.empty();
  if (prepared.table && known) {
    std::vector<size_t> found = beside_table(*prepared.data, calibration, wanted, options.run);
    if (found.size() >= kFewest) {
      chooser.take(*prepared.data, std::move(found), others);
      return chooser.done();
    }
  } else if (!prepared.table && options.data.limit && options.data.shard_count == 1) {
    DataOptions unlimited = options.data;
    unlimited.limit.reset();
    const DataSource& whole = chooser.hold(open_samples(unlimited, graph));
    const std::vector<size_t> found = beyond_limit(whole, *options.data.limit);
    if (found.size() >= kFewest) {
      chooser.take_by_hash(chooser.hold(std::make_unique<SampleSubset>(whole, found)), others);
      return chooser.done();
    }
  }
  const std::string what = known ? "calibration samples" : "samples";
  // Ranges were cut to what the other samples reach: an outlier's error is a choice, and would hide that of all others.
  if (options.outliers == OutlierPolicy::Clip && !measured.outliers.empty()) {
    const std::vector<size_t> usual = samples_without(*measured.samples, measured.outliers);
    if (usual.size() >= kFewest) {
      chooser.take_by_hash(chooser.hold(std::make_unique<SampleSubset>(*measured.samples, usual)),
                           what + " without the clipped outliers");
      return chooser.done();
    }
  }
  chooser.take_by_hash(*measured.samples, what);
  return chooser.done();
}

}  // namespace detent
