#pragma once

#include "model/graph/graph.h"
#include "model/graph/value_shapes.h"

namespace detent {

/// Returns the shapes of one graph's values for the values of the same names in another.
[[nodiscard]] inline ValueShapes renamed(const ValueShapes& shapes, const Graph& from, const Graph& to) {
  ValueShapes found;
  for (const auto& [id, shape] : shapes)
    if (const MaybeValue same = to.find_value(from.value(id).name)) found.emplace(*same, shape);
  return found;
}

}  // namespace detent
