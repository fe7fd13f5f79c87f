#pragma once

#include <map>
#include <vector>

#include "detent/calibrator.h"
#include "detent/detent.h"
#include "observe/collector.h"
#include "place/placement_plan.h"

namespace detent {

/// What one pass over the data measured.
struct Calibration {
  std::map<ValueId, Histogram> histograms;
  size_t samples = 0, skipped = 0;
  double seconds = 0;
};

/// Runs every sample of `source` once and collects a histogram per value of `watched`. Constants among them are measured
/// from their tensor. Same data, any order, any number of threads: same histograms.
/// Warns (once a value) about NaN and Inf, naming node and sample, and about values that were never non-zero.
/// Errors  InvalidData when the source is empty or a value held nothing finite; Interrupted on Ctrl-C.
[[nodiscard]] Calibration calibrate(const Graph& graph, std::span<const ValueId> watched, const DataSource& source,
                                    const RunSettings& settings);

/// An engine may have operators of its own at the end: they stay as they are, but nothing behind them can be measured here.
/// One warning for each.
void warn_of_unsupported_tail(const Graph& graph, Reporter& reporter);

}  // namespace detent
