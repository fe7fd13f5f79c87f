#pragma once

#include <cstddef>

#include "model/model.h"

namespace detent {

/// True when some node reads only constants.
[[nodiscard]] bool computes_constants(const Graph& graph);

/// Replaces nodes that compute constants by their results: weights and biases of weighted operators (Transpose(E) of a
/// tied embedding, Mul(W, s), Unsqueeze(W)), also behind pairs, scales of pairs, and results of at most 64 KiB. A
/// weight is folded when it has at most as many elements as the constants that it is computed from: results that Tile,
/// Expand or ConstantOfShape enlarge stay computed. Results keep their names; equal weights become one. A result stays
/// computed when it is a graph output, or when its operator draws random numbers, holds graphs or cannot run here.
/// Returns the number of nodes removed. codes  true: the codes that QuantizeLinear makes of constants are folded as
/// weights are
size_t fold_constants(Model& model, bool codes = false);

}  // namespace detent
