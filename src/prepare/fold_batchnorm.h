#pragma once

#include <cstddef>

#include "model/model.h"

namespace detent {

/// Folds every inference BatchNormalization behind a Conv, ConvTranspose or Gemm with constant weights into those
/// weights and the bias: w' = w * g / sqrt(var + eps), b' = (b - mean) * g / sqrt(var + eps) + beta, computed in double
/// per output channel. An Add, Mul or Div by one constant per channel between the two is folded with it. A
/// BatchNormalization stays when its input has another reader or is a graph output; weights shared with another node
/// are copied. The folded node writes the BatchNormalization's output. Returns the number of folds.
/// Source  Jacob et al., "Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only
/// Inference", 2018, section 3.2.
size_t fold_batchnorms(Model& model);

}  // namespace detent
