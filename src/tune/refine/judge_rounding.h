#pragma once

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "detent/reports/error_report.h"
#include "model/model.h"

namespace detent {

/// Measures the SQNR of the worst output with the nearest codes and with others, which are kept where it rises. Runs
/// both variants of the float model on the samples.
/// Errors  those of running; Interrupted.
[[nodiscard]] MeasuredChange judge_rounding(const Model& model, Model nearest, Model rounded, const DataSource& samples,
                                            const RunSettings& settings);

}  // namespace detent
