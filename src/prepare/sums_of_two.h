#pragma once

#include <cstddef>

#include "model/graph_patch.h"
#include "model/model.h"

namespace detent {

/// The node is a Sum with two inputs.
[[nodiscard]] bool is_sum_of_two(const Node& node);

/// Patch that makes an Add of every Sum with two inputs, under the same node name. Some exporters write residual adds
/// so; engines have INT8 kernels for Add alone. Nothing to do -> empty patch.
/// Source  ONNX Sum-8, Add-7: both broadcast, on the same types.
[[nodiscard]] GraphPatch find_sums_of_two(const Graph& graph);

/// Applies it. Returns how many there were. The opset is 8 at least.
size_t make_adds_of_sums(Model& model);

}  // namespace detent
