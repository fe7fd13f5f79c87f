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

/// Returns up to `most` names of calibration samples that alone reach an end of some value's range, the furthest beyond
/// the others first: a choice or a judgement without them does not see what a narrower range cuts. A sample counts the
/// octaves between its end and the next sample's, over all values; less than a tenth beyond it counts nothing. Empty
/// where the calibration has no extremes.
/// left_out  names of samples that do not count, such as those whose ranges are clipped on purpose
[[nodiscard]] std::vector<std::string> samples_of_extremes(const Calibration& calibration, size_t most,
                                                           const std::set<std::string>& left_out = {});

/// Returns the names of the outliers.
[[nodiscard]] std::set<std::string> names_of(const OutlierReport& outliers);

}  // namespace detent
