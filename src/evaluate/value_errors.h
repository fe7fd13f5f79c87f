#pragma once

#include <vector>

#include "detent/base/data_source.h"
#include "detent/base/qparams.h"
#include "detent/options/run_settings.h"
#include "detent/reports/error_report.h"
#include "model/model.h"
#include "place/plan/placement_plan.h"
#include "rewrite/rewrite.h"

namespace detent {

/// Measures the SQNR of every quantized activation alone: the output of its pair against the value in the float
/// network, over all samples. Worst first, of equals by name. Constants have none. Threads change nothing.
/// Errors  those of reading, running and rewriting; InvalidData when no sample could be read; Interrupted.
[[nodiscard]] std::vector<LocalError> measure_value_errors(const Model& model, const PlacementPlan& plan,
                                                           const std::map<ValueId, Range>& ranges,
                                                           const RewriteOptions& format, const DataSource& source,
                                                           const RunSettings& settings);

}  // namespace detent
