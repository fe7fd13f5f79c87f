#pragma once

#include "place/plan/placement_plan.h"

namespace detent {

/// Weighted integer operators (QLinearConv, QGemm, MatMulInteger ...) as layers of a model, in node order. ONNX Runtime
/// runs them, TensorRT refuses them. Shapes come from `shapes` or else from the file; where both are silent MACs are 0.
/// Source  ONNX Operators.md, ORT ContribOperators.md for the slots of the weights.
[[nodiscard]] std::vector<LayerDecision> qoperator_layers(const Graph& graph, const ValueShapes& shapes,
                                                          const Target& target);

}  // namespace detent
