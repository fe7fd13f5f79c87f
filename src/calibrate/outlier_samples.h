#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "calibrate/calibration.h"
#include "detent/base/histogram.h"
#include "detent/reports/calibration_report.h"
#include "observe/calibration_table.h"

namespace detent {

/// Finds the samples that alone set the range of many values. A sample alone sets the range of a value when its largest
/// |x| is at least 1.5 times that of every other sample: without it the range would be a third smaller, and any
/// calibrator that keeps extremes follows it. It is named when it does so for at least 3 values and for at least 10 %
/// of them: heavy tails give single values to any sample, but not the same one again and again.
///
/// names   of the samples. values  of each value its extremes in each sample, in parallel.
/// Empty   with fewer than 8 samples, which do not tell what is usual.
[[nodiscard]] OutlierReport find_outlier_samples(std::span<const std::string> names,
                                                 std::span<const std::span<const Extremes>> values);
/// Among those that were calibrated with; none where a table does not tell.
[[nodiscard]] OutlierReport find_outlier_samples(const Calibration& calibration);

/// Among those of a table; none where it holds no extremes.
[[nodiscard]] OutlierReport find_outlier_samples(const CalibrationTable& table);

/// The names of these samples.
[[nodiscard]] std::set<std::string> names_of(const OutlierReport& outliers);

}  // namespace detent
