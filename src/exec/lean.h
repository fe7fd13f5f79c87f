#pragma once

#include "model/graph/graph.h"

namespace detent {

/// True for models of more than 1 GiB of float weights, which run without copies of them: a product reads its weights as the file
/// holds them, and what depends on constants alone is computed in every run where it is large. It takes up to half as long again, for
/// half or a quarter of the memory. A fixed number, because the order of a sum depends on the packing: results must not depend on the
/// machine.
[[nodiscard]] bool is_lean(const Graph& graph);

}  // namespace detent
