#pragma once

#include "detent/detent.h"
#include "exec/execution_plan.h"
#include "exec/step_times.h"
#include "model/model.h"

namespace detent {

/// The times of a run of `plan` by node. A float model also runs once more over `source` as a calibration for the default
/// target would, so that the collector's share is measured and not guessed.
/// Errors  those of running.
[[nodiscard]] ProfileReport profile_run(const ExecutionPlan& plan, const StepTimes& times, const Model& model,
                                        const DataSource& source, const RunSettings& settings);

}  // namespace detent
