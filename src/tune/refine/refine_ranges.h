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

/// The input of refine_ranges(). Its members must outlive the call.
struct RangeRefinement {
  const Model& model;  ///< prepared float model; unchanged
  const PlacementPlan& plan;
  const RewriteOptions& format;
  const Calibration& calibration;
  const RangeOverrides& overrides;  ///< checked (check_overrides)
  const ChosenRanges& chosen;       ///< start: the ranges of one calibrator for all values
  const RangesOf& ranges_of;
  const DataSource& source;  ///< the calibration data
  const RunSettings& settings;
  /// Budget of the trials: about three minutes of two cores. Independent of the machine, so that the file is too.
  double macs = 5e12;
};

/// Ranges chosen value by value instead of by one calibrator. SQNRs are means over the held-out samples
/// (sample_scores), infinite where nothing differs.
struct RefinedRanges : MeasuredChange {
  /// A value, or a group that shares a scale, whose range changed.
  struct Change {
    std::string value;  ///< of a group the first member in the graph
    Range before, after;
    std::string from, to;  ///< calibrators; "mse x0.84": times a factor
  };
  std::map<ValueId, Range> ranges;  ///< of all values of the plan
  std::vector<Change> changes;      ///< by value's place in the graph; empty where nothing was kept
  size_t values = 0, tried = 0;     ///< values (a group counts once) with a choice; those that the budget reached
  size_t trials = 0;                ///< ranges that were measured
};

/// Chooses for each value the range that costs the outputs least.
///
/// Runs each value's pair alone in the otherwise float network with every range of units_to_try(), on up to 32 samples.
/// Alone the effect of a range shows clearly, and the parts add up to the whole (NoiseModel); in the quantized network
/// rounding elsewhere drowns it. The sum chooses ranges for all values. Takes the best 1, 2, 4 ... or all of these
/// changes: the number that gains most in the quantized network on other samples (up to 64), where the gain exceeds its
/// standard error and the search samples gain too. A second sweep begins with the new ranges.
///
/// Order    where `macs` does not reach all values, those with the worst SQNR come first.
/// Empty    fewer than 16 samples, or no output that can be compared -> nothing is changed, `samples` is 0.
/// Memory   see ModelsSideBySide; 64 variants at a time.
/// Errors   those of units_to_try, measure_value_errors and evaluate_side_by_side; Interrupted.
[[nodiscard]] RefinedRanges refine_ranges(const RangeRefinement& question);

}  // namespace detent
