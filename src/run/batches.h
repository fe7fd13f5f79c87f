#pragma once

#include <string>
#include <vector>

#include "run/sample_stream.h"
#include "run/workers.h"

namespace detent {

/// Options for streaming batches of `graph`'s fixed size: threads, Ctrl-C, --skip-bad-data and warnings wired to `settings`.
/// fill_last  an incomplete last batch is filled by repetition; false: dropped with a warning.
[[nodiscard]] StreamOptions batch_stream_options(const Graph& graph, const RunSettings& settings, bool fill_last);

}  // namespace detent
