#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibrate/checkpointer.h"
#include "calibrate/sample_tracker.h"
#include "detent/base/data_source.h"
#include "detent/base/progress.h"
#include "detent/base/qparams.h"
#include "detent/options/run_settings.h"
#include "run/run_over.h"

namespace detent {

/// Returns the range of symmetric INT8 codes with this scale.
[[nodiscard]] inline Range range_of_scale(float scale) {
  const auto amax = static_cast<float>(127.0 * scale);
  return {-amax, amax, scale};
}

/// The distributions of the values to quantize.
struct Calibration {
  std::map<ValueId, Histogram> histograms;
  std::vector<std::string> sample_names;              ///< of `extremes`; empty where a table has none
  std::map<ValueId, std::vector<Extremes>> extremes;  ///< of every measured value in each sample; not of constants
  std::map<ValueId, Range> given;                     ///< imported or trained: used as they are, without a histogram
  size_t samples = 0, skipped = 0;
  std::vector<TableSample> identities;  ///< of the samples, sorted; empty where scales were imported
  double seconds = 0;
};

/// Returns the calibration of other values: `from` names the value that each of them takes its numbers from.
[[nodiscard]] Calibration for_values(const Calibration& calibration, const std::map<ValueId, ValueId>& from);

/// Runs every sample of `source` once and collects a histogram for each value of `watched`. Constants among them are
/// measured from their tensor. The order of the data and the number of threads change nothing. Warns, once a value, of
/// NaN and Inf, naming node and sample, and of values that were 0 in every sample.
/// last_batch  what to do with samples that do not fill the source's batch.
/// Errors      InvalidData when the source is empty or a value held nothing finite; Interrupted on Ctrl-C.
[[nodiscard]] Calibration calibrate(const Graph& graph, std::span<const ValueId> watched, const DataSource& source,
                                    const RunSettings& settings,
                                    SamplePass::LastBatch last_batch = SamplePass::LastBatch::Drop);

/// Warns of each node that cannot run here. Custom operators may stand at the end of the graph; nothing behind them is
/// measured.
void warn_of_unsupported_tail(const Graph& graph, Reporter& reporter);

/// The measurements of one pass over the data, which may be incomplete.
struct Pass : Gathered {
  size_t samples = 0;  ///< of the source, those measured before included
  size_t skipped = 0;
  bool interrupted = false;
};

/// Measurements besides histograms.
struct MeasuredBeside {
  std::span<const ValueId> reached;  ///< values whose reach is wanted
  std::span<const ValueId> tokens;   ///< some of the pass's values, sorted, whose tokens are wanted
};

/// Makes the pass of calibrate(). The histogram of a value does not depend on which others are measured. No constants
/// among `values`. With a tracker, samples that it knows are not run again, the others are added to it, and an
/// interruption ends the pass instead of being thrown.
/// checkpoint  receives the measurements so far.
/// Errors      those of reading and running.
[[nodiscard]] Pass measure(const Graph& graph, std::span<const ValueId> values, const DataSource& source,
                           const RunSettings& settings, SampleTracker* tracker = nullptr,
                           const MeasuredBeside& beside = {}, const Checkpoint& checkpoint = {},
                           SamplePass::LastBatch last_batch = SamplePass::LastBatch::Drop);

/// Warns about NaN and Inf, once a value, naming node and sample.
/// samples  the tracker of the pass.
/// Errors  InvalidData when `required` and a value held nothing finite.
void report_non_finite(const Graph& graph, const Collector& collector, const SampleTracker& samples, bool required,
                       Reporter& reporter);

/// Adds histograms of the constants among `values`.
void add_constants(const Graph& graph, std::span<const ValueId> values, std::map<ValueId, Histogram>& histograms);

/// Warns of values that were 0 in every sample.
/// Errors  InvalidData for a value that held NaN and Inf only.
void check_measured(const Graph& graph, const std::map<ValueId, Histogram>& histograms, Reporter& reporter);

}  // namespace detent
