#include "pipeline/parts/closing_samples.h"

#include <set>

#include "run/model_inputs.h"
#include "run/sample_subset.h"

namespace detent {

namespace {

constexpr size_t kFewest = 8;

/// Those that a table does not name. By name: they may have come from another folder.
std::vector<size_t> beside_table(const DataSource& data, const Calibration& calibration) {
  std::set<std::string> names;
  for (const TableSample& sample : calibration.identities) names.insert(sample.name);
  return samples_without(data, names);
}

/// The data without --limit, and its indices from there on.
std::vector<size_t> beyond_limit(const DataSource& all, size_t limit) {
  return consecutive_samples(all, limit, all.size());
}

}  // namespace

ClosingSamples closing_samples(const QuantizeOptions& options, const Setup& setup, const Calibration& calibration) {
  ClosingSamples samples{.most = options.error_samples};
  if (!setup.data) return samples;
  const DataOptions& eval = options.bound.evaluation.data;
  const Graph& graph = setup.model.graph();
  if (eval.given()) {
    samples.own = open_samples(eval, graph);
    samples.source = samples.own.get();
    samples.most = samples.source->size();
    samples.what = "evaluation samples";
    return samples;
  }
  std::vector<size_t> others;
  const DataSource* whole = setup.data.get();
  if (setup.table) {
    // An imported table names no samples: nothing is known of what it was made with.
    samples.calibrated_with = !calibration.identities.empty();
    if (samples.calibrated_with) others = beside_table(*whole, calibration);
  } else {
    samples.calibrated_with = true;
    if (options.data.limit && options.data.shard_count == 1) {
      DataOptions unlimited = options.data;
      unlimited.limit.reset();
      samples.own = open_samples(unlimited, graph);
      whole = samples.own.get();
      others = beyond_limit(*whole, *options.data.limit);
    }
  }
  if (others.size() >= kFewest) {
    samples.some = std::make_unique<SampleSubset>(*whole, std::move(others));
    samples.source = samples.some.get();
    samples.calibrated_with = false;
    samples.what = "samples that were not calibrated with";
    return samples;
  }
  samples.source = &setup.samples();
  samples.what = samples.calibrated_with ? "calibration samples" : "samples";
  return samples;
}

}  // namespace detent
