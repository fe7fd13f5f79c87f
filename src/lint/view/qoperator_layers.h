#pragma once

#include "place/plan/placement_plan.h"

namespace detent {

/// Returns the weighted integer operators (QLinearConv, QGemm, MatMulInteger ...) as layers of a model, in node order.
/// ONNX Runtime runs them, TensorRT refuses them. Shapes come from `shapes`, else from the file; MACs are 0 when both
/// lack them.
/// Source  ONNX Operators.md, ORT ContribOperators.md for the slots of the weights.
[[nodiscard]] std::vector<LayerDecision> qoperator_layers(const Graph& graph, const ValueShapes& shapes,
                                                          const Target& target);

}  // namespace detent
