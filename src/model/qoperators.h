#pragma once

#include "model/graph/graph.h"

namespace detent {

/// True for operators that compute with codes: QLinear*, ...Integer, DynamicQuantizeLinear and similar ones.
/// Source  ONNX Operators.md, ORT ContribOperators.md.
[[nodiscard]] bool is_qoperator(const Node& node);

/// True when the graph holds QuantizeLinear, DequantizeLinear or an operator that computes with codes.
[[nodiscard]] bool is_quantized(const Graph& graph);

}  // namespace detent
