#pragma once

#include <vector>

#include "model/graph/graph.h"

namespace detent {

/// Floating-point type of every value, by id: the declared one, of a constant its own, else `to` or `dtype` of the
/// producer or the type of its first float operand. Float32 where nothing tells and for values that are no floats.
[[nodiscard]] std::vector<DataType> float_types(const Graph& graph);

/// True when some value or constant of the main graph is FP16.
[[nodiscard]] bool holds_half_values(const Graph& graph);

}  // namespace detent
