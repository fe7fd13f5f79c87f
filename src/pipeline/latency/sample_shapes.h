#pragma once

#include <filesystem>

#include "detent/base/data_source.h"
#include "detent/options/latency_options.h"
#include "detent/options/run_settings.h"

namespace detent {

/// Returns the options with `--shape` for each input whose size the model leaves open: the sizes of the first sample. A
/// ready command would take 1 for them, and time another work than the user's. Unchanged for a command of the user, for
/// one that has --shape or --batch, and for a model whose sizes are all known.
/// Errors  those of reading the model and the first sample.
[[nodiscard]] LatencyOptions with_sample_shapes(LatencyOptions latency, const std::filesystem::path& model,
                                                const DataOptions& data, const RunSettings& run);

}  // namespace detent
