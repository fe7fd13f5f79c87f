#pragma once

#include "detent/data_source.h"
#include "detent/run.h"
#include "detent/run_settings.h"
#include "exec/schedule.h"
#include "exec/step_times.h"
#include "model/model.h"

namespace detent {

/// The times of a run of `schedule` by node. A float model also runs once more over `source` as a calibration for the default
/// target would, so that the collector's share is measured and not guessed.
/// Errors  those of running.
[[nodiscard]] ProfileReport profile_run(const Schedule& schedule, const StepTimes& times, const Model& model,
                                        const DataSource& source, const RunSettings& settings);

}  // namespace detent
