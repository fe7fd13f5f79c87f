#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "detent/base/calibrator.h"
#include "detent/base/qparams.h"
#include "detent/reports/calibration_report.h"
#include "model/graph/graph.h"

namespace detent {

/// Returns a histogram for a chart: neighbouring bins are added, a power of two at a time, until at most 256 are left.
/// Both signs are on one axis; zeros are in no bin. Name, op and ranges are left to the caller. Only zeros -> no bins.
[[nodiscard]] ValueHistogram for_chart(const Histogram& histogram);

/// Describes every value of `histograms` with the range that each candidate, by name and in this order, chose.
[[nodiscard]] std::vector<ValueHistogram> describe_values(
    const Graph& graph, const std::map<ValueId, Histogram>& histograms, RangeKind kind,
    const std::vector<std::pair<std::string, const std::map<ValueId, Range>*>>& candidates);

}  // namespace detent
