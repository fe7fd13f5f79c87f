#pragma once

#include <cstddef>

#include "model/graph_patch.h"
#include "model/model.h"

namespace detent {

/// Stores constant weights of products as [K, N], the form in which engines take blocks: a Gemm with transB gets the
/// transposed constant and no transB; a MatMul that reads Transpose(constant) gets the transposed constant. Other
/// readers keep the constant. A constant that two products read transposed is transposed once. Outputs do not change.
/// Empty   nothing to change -> an empty patch.
/// Source  ONNX Runtime 1.30, core/optimizer/qdq_transformer/selectors_actions: DQMatMulNodeGroupSelector wants axis 0,
/// no transB.
[[nodiscard]] GraphPatch put_weights_in_rows(const Graph& graph);

/// Applies the patch. Returns how many products read another constant.
size_t put_weights_in_rows(Model& model);

}  // namespace detent
