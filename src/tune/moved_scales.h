#pragma once

#include "model/graph_patch.h"

namespace detent {

/// Moves every scale of the model's pairs by a last bit or two: each element of a float32 scale by up to 2^-22 of
/// itself, of a 16-bit one by one unit in its last place. The moved model is the same one in another arithmetic: an
/// engine that adds a layer's products in another order differs by as much. Codes at the border of two then change
/// here and there, each changes codes behind it, and in a deep network the two end as far apart as two engines do.
///
/// Empty   no node reads a scale that is a constant.
/// Source  src/decisions/tune.md, "A bound is judged with the error of its arithmetic".
[[nodiscard]] GraphPatch move_scales(const Graph& graph);

}  // namespace detent
