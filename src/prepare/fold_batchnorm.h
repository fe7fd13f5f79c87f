#pragma once

#include <string>
#include <vector>

#include "model/graph_patch.h"
#include "model/model.h"

namespace detent {

/// Patches that fold every inference BatchNormalization behind a Conv, ConvTranspose or Gemm with constant weights into
/// those weights and bias: w' = w * g / sqrt(var + eps), b' = (b - mean) * g / sqrt(var + eps) + beta, computed in
/// double per output channel. An Add of one constant per channel between the two becomes part of the bias. A BN whose
/// producer's output has another reader or is a graph output is left alone; weights shared with another node are
/// copied. The folded node writes the BN's output name (the last folded node's name survives). Nothing to fold -> empty
/// vector. Apply one after the other.
/// Source  Jacob et al., "Quantization and Training of Neural Networks for Efficient
/// Integer-Arithmetic-Only Inference", 2018, section 3.2.
[[nodiscard]] std::vector<GraphPatch> find_batchnorm_folds(const Graph& graph);

/// Applies find_batchnorm_folds; returns how many were folded.
size_t fold_batchnorms(Model& model);

}  // namespace detent
