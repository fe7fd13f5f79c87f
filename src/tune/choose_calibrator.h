#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "detent/calibrator.h"
#include "detent/data_source.h"
#include "detent/error_report.h"
#include "detent/qparams.h"
#include "detent/run_settings.h"
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

/// Quantizes the model once for each of max, entropy, mse, percentile 99.9, 99.99 and 99.999, runs these variants beside the
/// float model on 32 samples (those whose names have the smallest hash) and keeps the calibrator with the highest mean
/// over the float outputs of their SQNR in dB; of equals the first. Candidates with the same ranges are run once.
///
/// model   prepared float model; unchanged. Memory: see evaluate_models.
/// source  the calibration data; nullptr when there is none.
/// Judged by mean_sqnr_db().
/// Errors  InvalidOption without data or when no output can be compared; those of evaluate_models.
/// Source  the smallest tensor error is not the best network: calibrators/README.md.
[[nodiscard]] ChosenRanges choose_calibrator(const Model& model, const PlacementPlan& plan,
                                             const RewriteOptions& format, const RangesOf& ranges_of,
                                             const DataSource* source, const RunSettings& settings);

}  // namespace detent
