#pragma once

#include <limits>

#include "model/graph/graph.h"
#include "model/graph/value_shapes.h"

namespace detent {

inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

/// Bounds of |x| of the values that are known so far.
struct ValueBounds {
  const Graph& graph;
  const ValueShapes& shapes;
  ValueMap<double> amax;            ///< infinite where nothing bounds the value; constants have their largest |x|
  ValueMap<const Tensor*> weights;  ///< constants and dequantized constants; nullptr for other values
};

/// Returns a bound of |x| of the first output of a node that is no QuantizeLinear and no DequantizeLinear; infinite for
/// operators that are not in the table.
[[nodiscard]] double bound_of_node(const ValueBounds& bounds, const Node& node);

}  // namespace detent
