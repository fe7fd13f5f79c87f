#pragma once

#include <cstddef>
#include <map>

#include "core/float_type.h"
#include "model/graph/graph.h"

namespace detent {

/// Counts of the main graph's nodes by the float type that they write.
struct FloatNodes {
  std::map<DataType, size_t> by_type;  ///< without QuantizeLinear, DequantizeLinear, Cast and Constant
  size_t casts = 0;                    ///< Casts from one float type to another
};

/// Counts nodes with types as far as they follow without running. Empty for a graph without floats.
[[nodiscard]] FloatNodes count_float_nodes(const Graph& graph);

}  // namespace detent
