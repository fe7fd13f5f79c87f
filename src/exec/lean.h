#pragma once

#include "model/graph/graph.h"

namespace detent {

/// True for models of more than 1 GiB of float weights. Large values that depend on constants alone are computed in
/// every run there. Pages of weights leave memory after every step that read them, and packed weights are kept
/// only on request (ScheduleOptions::keep_large_copies). No bit of a result changes.
[[nodiscard]] bool is_lean(const Graph& graph);
/// True for models of more than 256 MiB of float weights: of two that are compared one is destroyed before the other is
/// made.
[[nodiscard]] bool runs_alone(const Graph& graph);
/// True when packed copies of the weights fit in memory, and less than a quarter of the weights is resident already
/// (equalized ones, say).
[[nodiscard]] bool has_room_for_copies(const Graph& graph);
/// Returns the bytes of `graph`'s constants of two and more extents, as floats.
[[nodiscard]] uint64_t weight_bytes(const Graph& graph);

}  // namespace detent
