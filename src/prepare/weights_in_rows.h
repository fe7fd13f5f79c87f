#pragma once

#include <cstddef>

#include "model/graph_patch.h"
#include "model/model.h"

namespace detent {

/// Constant weights of products as [K, N], the form in which engines take blocks: a Gemm with transB gets the
/// transposed constant and no transB; a MatMul that reads Transpose(constant) gets the transposed constant itself. What
/// else reads the constant keeps it. Constants that two products read transposed are transposed once. The network
/// computes the same.
/// Returns  a patch; empty where nothing has to change.
/// Source   ONNX Runtime 1.30,
/// core/optimizer/qdq_transformer/selectors_actions: DQMatMulNodeGroupSelector wants axis 0, no transB.
[[nodiscard]] GraphPatch put_weights_in_rows(const Graph& graph);

/// Applies it. Returns how many products read another constant now.
size_t put_weights_in_rows(Model& model);

}  // namespace detent
