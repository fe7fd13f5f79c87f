#pragma once

#include <cstddef>
#include <map>

#include "core/float_type.h"
#include "model/graph/graph.h"

namespace detent {

/// Nodes of the main graph by the type of the floats that they make.
struct FloatNodes {
  std::map<DataType, size_t> by_type;  ///< without QuantizeLinear, DequantizeLinear, Cast and Constant
  size_t casts = 0;                    ///< Casts from one float type to another
};

/// Types as far as they can be followed without running. Empty for a graph without floats.
[[nodiscard]] FloatNodes count_float_nodes(const Graph& graph);

}  // namespace detent
