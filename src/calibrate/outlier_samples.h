#pragma once

#include <set>
#include <span>
#include <string>

#include "calibrate/calibration.h"
#include "detent/base/histogram.h"
#include "detent/reports/calibration_report.h"
#include "observe/calibration_table.h"

namespace detent {

/// Finds the samples that alone set the range of many values. A sample alone sets the range of a value when its largest
/// |x| is at least 1.5 times that of every other sample. It is an outlier when it does so for at least 3 values and for
/// at least 10 % of them: heavy tails do so for single values in any sample, but not for many in the same one.
///
/// values  for each value its extremes in each sample, in the order of `names`.
/// Empty   with fewer than 8 samples.
[[nodiscard]] OutlierReport find_outlier_samples(std::span<const std::string> names,
                                                 std::span<const std::span<const Extremes>> values);
/// Finds outliers among the calibration samples; none where the calibration has no extremes.
[[nodiscard]] OutlierReport find_outlier_samples(const Calibration& calibration);

/// Finds outliers among the samples of a table; none where it has no extremes.
[[nodiscard]] OutlierReport find_outlier_samples(const CalibrationTable& table);

/// Returns the names of the outliers.
[[nodiscard]] std::set<std::string> names_of(const OutlierReport& outliers);

}  // namespace detent
