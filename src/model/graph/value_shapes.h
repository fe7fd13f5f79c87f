#pragma once

#include <map>

#include "model/graph/graph.h"

namespace detent {

/// Shapes of values for one sample, from a run. A value that did not run has none.
using ValueShapes = std::map<ValueId, Shape>;

/// Returns nullptr for a value without a shape and for kNoValue.
[[nodiscard]] inline const Shape* find_shape(const ValueShapes& shapes, MaybeValue value) {
  const auto found = value ? shapes.find(*value) : shapes.end();
  return found == shapes.end() ? nullptr : &found->second;
}

}  // namespace detent
