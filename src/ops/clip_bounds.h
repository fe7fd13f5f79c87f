#pragma once

#include <optional>

#include "model/graph/graph.h"

namespace detent {

/// The numbers between which a Clip keeps its input.
struct ClipBounds {
  std::optional<float> min, max;  ///< as written; nullopt where left out

  /// Infinite where left out, or 1e30 or beyond: exporters write the largest float, or nearly, for no bound.
  [[nodiscard]] float low() const;
  [[nodiscard]] float high() const;
};

/// Bounds of a Clip, from attributes or constant inputs; nullopt when they are only known when the network runs.
[[nodiscard]] std::optional<ClipBounds> clip_bounds(const Graph& graph, const Node& clip);

}  // namespace detent
