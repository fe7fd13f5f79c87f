#pragma once

#include <cstddef>

#include "model/model.h"

namespace detent {

/// Folds every Add, Sub, Mul and Div by constants behind a Conv, ConvTranspose or Gemm with constant weights into those
/// weights and the bias, which is made where there is none: one number, or one for each output channel. Each folded
/// value has one reader, the last one apart, whose value the layer then writes. Weights shared with another node are
/// copied. A single number in front of an operator that gives it a meaning stays: the 3 of HardSigmoid and HardSwish in
/// front of a Clip, the scale in front of a product of attention, the factor of a box at a graph output. Returns the
/// number of operators folded.
size_t fold_operators(Model& model);

/// True where fold_operators() has something to fold.
[[nodiscard]] bool has_foldable_operators(const Graph& graph);

}  // namespace detent
