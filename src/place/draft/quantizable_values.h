#pragma once

#include <vector>

#include "model/graph/graph.h"

namespace detent {

/// Returns every value on which a plan may put a pair, whatever the target, the policies and the user's includes and
/// excludes: floating-point data that some node reads, and floating-point graph outputs. No constants: their content is
/// in the model. Ascending by id; empty for an empty graph.
[[nodiscard]] std::vector<ValueId> quantizable_values(const Graph& graph);

}  // namespace detent
