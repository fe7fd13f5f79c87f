#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibrate/calibration.h"
#include "calibrate/range_overrides.h"
#include "detent/base/data_source.h"
#include "detent/base/qparams.h"
#include "detent/options/run_settings.h"
#include "detent/reports/error_report.h"
#include "model/model.h"
#include "place/plan/placement_plan.h"
#include "rewrite/rewrite.h"
#include "tune/choose_calibrator.h"

namespace detent {

/// Samples that refine_ranges() needs.
inline constexpr size_t kFewestToRefine = 16;

/// What refine_ranges() refines. Looks at things that must outlive the call.
struct RangeRefinement {
  const Model& model;  ///< prepared float model; unchanged
  const PlacementPlan& plan;
  const RewriteOptions& format;
  const Calibration& calibration;
  const RangeOverrides& overrides;  ///< checked (check_overrides)
  const ChosenRanges& chosen;       ///< to begin with: of one calibrator for all values
  const RangesOf& ranges_of;
  const DataSource& source;  ///< the calibration data
  const RunSettings& settings;
  /// What the trials may run: about three minutes of two cores. Never the clock: the file must not depend on it.
  double macs = 5e12;
};

/// Ranges of a calibrator for each value instead of one for all, kept where one is another. SQNRs are means over the
/// held-out samples (sample_scores), infinite where nothing differs.
struct RefinedRanges : MeasuredChange {
  /// A value, or a group that shares a scale, whose range became another.
  struct Change {
    std::string value;  ///< of a group the member that comes first in the graph
    Range before, after;
    std::string from, to;  ///< calibrators; "mse x0.84": times a factor
  };
  std::map<ValueId, Range> ranges;  ///< those to quantize with
  std::vector<Change> changes;      ///< by value's place in the graph; none where nothing was kept
  size_t values = 0, tried = 0;     ///< values (groups count once) whose range is a choice; those that `macs` reached
  size_t trials = 0;                ///< ranges that were measured
};

/// For each value the range that costs the outputs least, instead of those of the calibrator that is best on the whole.
///
/// Each value's pair is run alone in the otherwise float network with every range that units_to_try() finds, on up to
/// 32 samples. In the quantized network rounding anywhere changes all that follows, and this drowns what one range
/// changes; alone it shows clearly, and the parts add up to the whole (NoiseModel). The sum chooses ranges for all
/// values. Of these changes the best 1, 2, 4 ... or all are taken: those with which the real quantized network gains
/// most on other samples (up to 64), where that exceeds the standard error and it gains on the samples of the search
/// too. Then a second sweep begins from the new ranges.
///
/// Order    where `macs` does not allow all values, those with the worst SQNR of their own are tried.
/// Empty    fewer than 16 samples, or no output that can be compared -> nothing is changed, `samples` is 0.
/// Memory   see ModelsSideBySide; 64 variants at a time.
/// Errors   those of units_to_try, measure_value_errors and RangeVariants; Interrupted. Threads change nothing.
[[nodiscard]] RefinedRanges refine_ranges(const RangeRefinement& question);

}  // namespace detent
