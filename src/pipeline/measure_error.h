#pragma once

#include "detent/detent.h"
#include "model/model.h"

namespace detent {

/// Runs both models on the first `samples` samples and compares by name their outputs or, where
/// operators at the end cannot run, the last values before them (RunnablePart).
/// Errors  those of reading and running; Interrupted.
[[nodiscard]] ErrorReport measure_error(const Model& reference, const Model& candidate, const DataSource& source,
                                        size_t samples, const RunSettings& settings);

}  // namespace detent
