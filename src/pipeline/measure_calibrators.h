#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string_view>

#include "detent/calibrator.h"
#include "detent/detent.h"
#include "model/model.h"
#include "place/placement_plan.h"
#include "rewrite/qdq_inserter.h"

namespace detent {

/// `--calibrator auto`: not an algorithm on a histogram but a measurement at the outputs of the quantized model.
[[nodiscard]] bool is_auto(std::string_view calibrator);

/// The ranges that a calibrator gives the paired values, overrides and fixed ranges included.
using RangesOf = std::function<std::map<ValueId, Range>(const Calibrator&)>;

struct MeasuredRanges {
  std::map<ValueId, Range> ranges;  ///< the winner's
  CalibratorMeasurement measurement;
};

/// Quantizes the model once for each of max, entropy, mse, percentile 99.9, 99.99 and 99.999, runs these variants beside the
/// float model on 32 samples (those whose names have the smallest hash) and keeps the calibrator with the highest mean
/// over the float outputs of their SQNR in dB; of equals the first. Candidates with the same ranges are run once.
///
/// model   prepared float model; unchanged. Memory: see evaluate_variants.
/// source  the calibration data; nullptr when there is none.
/// SQNRs count within +-144.5 dB, the resolution of a float, so that an output that no candidate touches does not make all
/// means infinite; NaN counts as the worst.
/// Errors  InvalidOption without data or when no output can be compared; those of evaluate_variants.
/// Source  the smallest tensor error is not the best network: calibrators/README.md.
[[nodiscard]] MeasuredRanges measure_calibrators(const Model& model, const PlacementPlan& plan,
                                                 const RewriteOptions& format, const RangesOf& ranges_of,
                                                 const DataSource* source, const RunSettings& settings);

}  // namespace detent
