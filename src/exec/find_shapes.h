#pragma once

#include <span>

#include "detent/base/tensor.h"
#include "model/graph/graph.h"
#include "model/graph/value_shapes.h"

namespace detent {

/// Returns the shapes of every value that can run, and of every constant, from one run on `inputs` (one tensor per
/// graph input). Errors  those of running.
[[nodiscard]] ValueShapes find_shapes(const Graph& graph, std::span<const Tensor> inputs);

}  // namespace detent
