#pragma once

#include "model/graph/graph.h"

namespace detent {

/// True for models of more than 1 GiB of float weights: what depends on constants alone is computed in every run where
/// it is large, the pages of the weights leave memory behind every step that read them, and packed copies of them are
/// kept only on request (ScheduleOptions::keep_large_copies). None of that changes a bit of a result.
[[nodiscard]] bool is_lean(const Graph& graph);
/// True for models of more than 256 MiB of float weights: of two that are compared one is gone before the other is
/// made.
[[nodiscard]] bool runs_alone(const Graph& graph);
/// Bytes of `graph`'s constants of two and more extents, as floats.
[[nodiscard]] uint64_t weight_bytes(const Graph& graph);

}  // namespace detent
