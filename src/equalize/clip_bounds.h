#pragma once

#include <optional>

#include "model/graph/graph.h"

namespace detent {

/// Between which numbers a Clip keeps its input; infinite where it has no bound, or one beyond 1e30.
struct ClipBounds {
  float low = 0, high = 0;
};

/// Bounds of a Clip, from attributes or constant inputs; nullopt when they are only known when the network runs.
[[nodiscard]] std::optional<ClipBounds> clip_bounds(const Graph& graph, const Node& node);

}  // namespace detent
