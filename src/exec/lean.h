#pragma once

#include "model/graph/graph.h"

namespace detent {

/// True for models of more than 1 GiB of float weights: large values that depend on constants alone are computed in
/// every run, the pages of the weights leave memory after every step that read them, and packed copies of them are kept
/// only on request (ScheduleOptions::keep_large_copies). None of this changes a bit of a result.
[[nodiscard]] bool is_lean(const Graph& graph);
/// True for models of more than 256 MiB of float weights: of two that are compared one is destroyed before the other is
/// made.
[[nodiscard]] bool runs_alone(const Graph& graph);
/// Returns the bytes of `graph`'s constants of two and more extents, as floats.
[[nodiscard]] uint64_t weight_bytes(const Graph& graph);

}  // namespace detent
