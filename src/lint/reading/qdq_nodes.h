#pragma once

#include "ops/operator.h"
#include "lint/reading/qdq_reading.h"

namespace detent {

/// The node is a QuantizeLinear or a DequantizeLinear.
[[nodiscard]] bool is_qdq(const Graph& graph, const Node& node);

/// Constant of a value; nullptr also for constants of types that no Tensor holds (8-bit floats).
[[nodiscard]] const Tensor* readable_constant(const Graph& graph, ValueId value);

/// What one QuantizeLinear or DequantizeLinear says. Everything that is computed at run time stays empty.
/// Source  ONNX QuantizeLinear-13, -19, -21: the type of the codes is the zero point's, else output_dtype, else uint8.
[[nodiscard]] QdqNode describe_qdq(const Graph& graph, const Node& node);

}  // namespace detent
