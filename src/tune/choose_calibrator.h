#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "detent/calibrator.h"
#include "detent/detent.h"
#include "model/model.h"
#include "place/plan/placement_plan.h"
#include "rewrite/qdq_inserter.h"

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

/// Mean over the outputs of their SQNR in dB, each within the resolution of a float (+-144.5 dB), so that one that nobody
/// touches does not make all means infinite; NaN counts as the worst. No output -> the worst.
[[nodiscard]] double mean_sqnr_db(const ErrorReport& error);

struct MeasuredRanges {
  std::map<ValueId, Range> ranges;  ///< the winner's
  CalibratorMeasurement measurement;

  [[nodiscard]] std::unique_ptr<Calibrator> make_winner() const {
    return make_calibrator(measurement.candidates.at(measurement.winner).calibrator);
  }
};

/// Quantizes the model once for each of max, entropy, mse, percentile 99.9, 99.99 and 99.999, runs these variants beside the
/// float model on 32 samples (those whose names have the smallest hash) and keeps the calibrator with the highest mean
/// over the float outputs of their SQNR in dB; of equals the first. Candidates with the same ranges are run once.
///
/// model   prepared float model; unchanged. Memory: see evaluate_variants.
/// source  the calibration data; nullptr when there is none.
/// Judged by mean_sqnr_db().
/// Errors  InvalidOption without data or when no output can be compared; those of evaluate_variants.
/// Source  the smallest tensor error is not the best network: calibrators/README.md.
[[nodiscard]] MeasuredRanges measure_calibrators(const Model& model, const PlacementPlan& plan,
                                                 const RewriteOptions& format, const RangesOf& ranges_of,
                                                 const DataSource* source, const RunSettings& settings);

}  // namespace detent
