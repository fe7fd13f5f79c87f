#pragma once

#include "calibrate/calibration.h"
#include "detent/quantize.h"
#include "model/model.h"
#include "pipeline/parts/improve.h"
#include "pipeline/parts/setup.h"
#include "rewrite/rewrite.h"

namespace detent {

/// The parts of the report, filled as the pipeline goes.
[[nodiscard]] QuantizeReport start_report(const QuantizeOptions& options, const Setup& setup,
                                          const Calibration& calibration);
void add_values(QuantizeReport& report, const Graph& graph, const Rewrite& rewrite);
/// The charts of the report's values.
void add_histograms(QuantizeReport& report, const Setup& setup, const Calibration& calibration,
                    const ChosenRanges& chosen);
/// The decisions that were taken by measurement; the winner of a measurement becomes the report's calibrator.
void add_choices(QuantizeReport& report, const ChosenRanges& chosen, std::optional<EqualizeReport> equalized,
                 const Improvement& improved, std::optional<BoundReport> bound);
void finish_report(QuantizeReport& report, const QuantizeOptions& options, const Setup& setup, double seconds);

}  // namespace detent
