#pragma once

#include <optional>

#include "model/graph/graph.h"

namespace detent {

/// The numbers between which a Clip keeps its input.
struct ClipBounds {
  std::optional<float> min, max;  ///< as written; nullopt where left out

  /// Return a bound; infinite where left out, or 1e30 or beyond: exporters write about the largest float for no bound.
  [[nodiscard]] float low() const;
  [[nodiscard]] float high() const;
};

/// Returns the bounds of a Clip, from attributes or constant inputs; nullopt when they are only known when the network
/// runs.
[[nodiscard]] std::optional<ClipBounds> clip_bounds(const Graph& graph, const Node& clip);

}  // namespace detent
