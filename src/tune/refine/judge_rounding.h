#pragma once

#include "detent/data_source.h"
#include "detent/error_report.h"
#include "detent/run_settings.h"
#include "model/model.h"

namespace detent {

/// Measures the SQNR of the worst output with the nearest codes and with others, which are kept where it rises. Runs both variants of the
/// float model on the samples. Errors  those of running; Interrupted.
[[nodiscard]] MeasuredChange judge_rounding(const Model& model, Model nearest, Model rounded, const DataSource& samples,
                                            const RunSettings& settings);

}  // namespace detent
