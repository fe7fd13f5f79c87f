#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibrate/checkpointer.h"
#include "calibrate/gathered.h"
#include "calibrate/sample_tracker.h"
#include "detent/base/data_source.h"
#include "detent/base/progress.h"
#include "detent/options/run_settings.h"
#include "run/run_over.h"

namespace detent {

/// The distributions of the values that are to be quantized.
struct Calibration {
  std::map<ValueId, Histogram> histograms;
  std::vector<std::string> sample_names;  ///< of those below; empty where a table does not tell
  std::map<ValueId, std::vector<Extremes>>
      extremes;                     ///< of every measured value in each of these samples; no constants
  std::map<ValueId, float> scales;  ///< imported: used as they are, there is no histogram
  size_t samples = 0, skipped = 0;
  std::vector<TableSample> identities;  ///< of the samples, sorted; none where scales were imported
  double seconds = 0;
};

/// The same calibration of other values: what `from` says each of them carries. What was not measured is left out.
[[nodiscard]] Calibration for_values(const Calibration& calibration, const std::map<ValueId, ValueId>& from);

/// Runs every sample of `source` once and collects a histogram per value of `watched`. Constants among them are
/// measured from their tensor. Same data, any order, any number of threads: same histograms. Warns (once a value) about
/// NaN and Inf, naming node and sample, and about values that were never non-zero. last_batch  what becomes of samples
/// that do not fill the source's batch.
/// Errors  InvalidData when the source is empty or a value held nothing finite;
/// Interrupted on Ctrl-C.
[[nodiscard]] Calibration calibrate(const Graph& graph, std::span<const ValueId> watched, const DataSource& source,
                                    const RunSettings& settings,
                                    SamplePass::LastBatch last_batch = SamplePass::LastBatch::Drop);

/// An engine may have operators of its own at the end: they stay as they are, but nothing behind them can be measured
/// here. One warning for each.
void warn_of_unsupported_tail(const Graph& graph, Reporter& reporter);

/// One pass over the data, as far as it came.
struct Pass : Gathered {
  size_t samples = 0;  ///< of the source, those measured before included
  size_t skipped = 0;
  bool interrupted = false;
};

/// What a pass measures beside histograms.
struct MeasuredBeside {
  std::span<const ValueId> reached;  ///< values whose reach is wanted
  std::span<const ValueId> tokens;   ///< some of the pass's values, sorted, whose tokens are wanted
};

/// The pass of calibrate(): what a value's histogram becomes does not depend on which others are measured. No constants
/// among `values`. With a tracker samples that it knows are not run again, the others are added to it, and an
/// interruption ends the pass instead of being thrown. beside      what else is measured. checkpoint  where what was
/// measured so far goes meanwhile.
/// Errors  those of reading and running.
[[nodiscard]] Pass measure(const Graph& graph, std::span<const ValueId> values, const DataSource& source,
                           const RunSettings& settings, SampleTracker* tracker = nullptr,
                           const MeasuredBeside& beside = {}, const Checkpoint& checkpoint = {},
                           SamplePass::LastBatch last_batch = SamplePass::LastBatch::Drop);

/// Warns about NaN and Inf, once a value, naming node and sample.
/// samples  the tracker of the pass.
/// Errors  InvalidData when `required` and a value held nothing finite.
void report_non_finite(const Graph& graph, const Collector& collector, const SampleTracker& samples, bool required,
                       Reporter& reporter);

/// Histograms of the constants among `values`.
void add_constants(const Graph& graph, std::span<const ValueId> values, std::map<ValueId, Histogram>& histograms);

/// Warns of values that were never anything but 0.
/// Errors  InvalidData for a value that held NaN and Inf only.
void check_measured(const Graph& graph, const std::map<ValueId, Histogram>& histograms, Reporter& reporter);

}  // namespace detent
