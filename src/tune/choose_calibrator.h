#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
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

/// True for `--calibrator auto`, which measures the outputs of quantized models instead of reading a histogram.
[[nodiscard]] bool is_auto(std::string_view calibrator);

/// Returns the ranges that a calibrator gives the paired values, overrides and fixed ranges included.
using RangesOf = std::function<std::map<ValueId, Range>(const Calibrator&)>;

/// Candidates that choose the same ranges share a variant, which is made and run once.
struct DistinctRanges {
  std::vector<std::map<ValueId, Range>> ranges;  ///< by variant
  std::vector<size_t> variant_of;                ///< by candidate

  /// Adds the next candidate.
  void add(std::map<ValueId, Range> chosen);
};

/// The ranges that a model is quantized with.
struct ChosenRanges {
  std::shared_ptr<const Calibrator> calibrator;  ///< gave the ranges
  std::map<ValueId, Range> ranges;
  std::optional<CalibratorMeasurement> measurement;  ///< where "auto" chose the calibrator
};

/// The candidates of "auto", as make_calibrator reads them.
[[nodiscard]] std::span<const std::string_view> auto_candidates();

/// Asked for the highest score_db that a candidate may have: once `max` and `mse` were measured, and after the first
/// round. True: the plan will change, and the choice ends there.
using EndsWith = std::function<bool(double highest_db)>;

/// The effort of "auto".
struct ChoiceEffort {
  bool thorough = false;  ///< all candidates on all 64 samples, at any cost
  std::string otherwise;  ///< the calibrator to take where no output can be compared; empty: that is an error
};

/// The input of choose_calibrator(). Its members must outlive the call.
struct CalibratorQuestion {
  const Model& model;  ///< prepared float model; unchanged
  const PlacementPlan& plan;
  const RewriteOptions& format;
  const Calibration& calibration;
  const RangesOf& ranges_of;
  const DataSource* source;  ///< the calibration data; nullptr when there is none
  const RunSettings& settings;
  ChoiceEffort effort = {};
  std::optional<size_t> together = {};  ///< samples to run at once; absent: samples_together() decides
  EndsWith ends_with = {};              ///< empty: nothing ends the choice
  std::set<std::string> clipped = {};   ///< samples that the ranges clip on purpose: they do not tell candidates apart
};

/// Quantizes the model with each of auto_candidates() and runs the variants beside the float model in rounds: all on up
/// to 8 samples, then the best 4 at most on up to four times as many, up to 64 (the smallest name hashes); a detector
/// on 4, the best 6 on 8, and 4 on 16 at least. Beside them run up to 8 samples that alone reach an end of some range
/// (samples_of_extremes), which a sample by chance does not show: half as many as the others in the first round. Each
/// counts as the one sample of the calibration that it is. Returns the choice of choose_within_band(), for a detector
/// the highest score. Candidates with the same ranges run once. A plan without pairs is not measured.
///
/// Cost    as many runs as calibration samples, at least as many as 2 samples of each candidate and 5 of the last four
///         take, and for a network of few multiplications up to three times as many; not more than 75e9
///         multiply-accumulates (about 5 s of one core) or a fifth of the calibration samples, whichever is more.
///         Making a variant counts as a run. If that does not pay for 2 samples of each candidate, fewer candidates
///         run, the safest first. The cost and the written file do not depend on the machine.
/// Memory  see evaluate_models and JudgedBatches.
/// Errors  InvalidOption without data, or when no output can be compared and `effort` names no other calibrator; those
///         of evaluate_models.
/// Source  the smallest tensor error is not the best network: calibrators/README.md.
[[nodiscard]] ChosenRanges choose_calibrator(const CalibratorQuestion& question);

}  // namespace detent
