#pragma once

#include "detent/detent.h"
#include "model/model.h"

namespace detent {

/// Runs both models on the first `samples` samples and compares their outputs by name.
/// Errors  those of reading and running; Interrupted.
[[nodiscard]] ErrorReport measure_error(const Model& reference, const Model& candidate, const DataSource& source,
                                        size_t samples, const RunSettings& settings);

}  // namespace detent
