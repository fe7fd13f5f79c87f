#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "calibrate/calibration.h"
#include "detent/base/calibrator.h"
#include "detent/base/data_source.h"
#include "detent/base/qparams.h"
#include "detent/options/run_settings.h"
#include "detent/reports/error_report.h"
#include "model/model.h"
#include "place/plan/placement_plan.h"
#include "rewrite/rewrite.h"

namespace detent {

/// `--calibrator auto`: not an algorithm on a histogram but a measurement at the outputs of the quantized model.
[[nodiscard]] bool is_auto(std::string_view calibrator);

/// The ranges that a calibrator gives the paired values, overrides and fixed ranges included.
using RangesOf = std::function<std::map<ValueId, Range>(const Calibrator&)>;

/// Candidates that choose the same ranges share a variant, so that it is made and run once.
struct DistinctRanges {
  std::vector<std::map<ValueId, Range>> ranges;  ///< by variant
  std::vector<size_t> variant_of;                ///< by candidate

  /// The next candidate.
  void add(std::map<ValueId, Range> chosen);
};

/// The ranges that a model is quantized with.
struct ChosenRanges {
  std::unique_ptr<Calibrator> calibrator;  ///< that gave them
  std::map<ValueId, Range> ranges;
  std::optional<CalibratorMeasurement> measurement;  ///< where the calibrator was chosen by one
};

/// The candidates of "auto", as make_calibrator reads them: max, entropy, mse, percentile 99.9, 99.99, 99.999,
/// samplemax 99, 95, 90, 50.
[[nodiscard]] std::span<const std::string_view> auto_candidates();

/// How "auto" is done.
struct ChoiceEffort {
  bool thorough = false;  ///< all candidates on all 64 samples, whatever that costs
  std::string otherwise;  ///< the calibrator to take where no output can be compared; empty: that is an error
};

/// What choose_calibrator() chooses for. Looks at things that must outlive the call.
struct CalibratorQuestion {
  const Model& model;  ///< prepared float model; unchanged
  const PlacementPlan& plan;
  const RewriteOptions& format;
  const Calibration& calibration;
  const RangesOf& ranges_of;
  const DataSource* source;  ///< the calibration data; nullptr when there is none
  const RunSettings& settings;
  ChoiceEffort effort = {};
  std::optional<size_t> together = {};  ///< samples that run at once, where the caller knows samples_together() already
};

/// Quantizes the model once for each of auto_candidates() and runs these variants beside the float model, in two
/// rounds: all of them on up to 16 samples, then those that may still win, at most 6, on up to 64 samples together
/// (those whose names have the smallest hash). What is taken is choose_within_band()'s. Candidates with the same ranges
/// are run once. A plan without pairs is not measured.
///
/// Cost    runs of the model for 75e9 multiply-accumulates, about 5 s of one core, or a fifth of the calibration
/// samples, whichever is
///         more; fewer samples and fewer candidates, the safest first, where that does not pay for 2 samples of each.
///         The same for any machine and any number of threads: the file must not depend on the clock.
/// Memory  see evaluate_models and JudgedBatches.
/// Errors  InvalidOption without data or when no output can be compared and there is no other calibrator to take; those
/// of
///         evaluate_models.
/// Source  the smallest tensor error is not the best network: calibrators/README.md.
[[nodiscard]] ChosenRanges choose_calibrator(const CalibratorQuestion& question);

}  // namespace detent
