#pragma once

#include "model/graph/graph.h"

namespace detent {

/// True for an operator whose output type is named by an attribute (except Cast, ConstantOfShape and
/// DequantizeLinear, whose attribute can be changed), and for one that reads or makes a list of tensors.
[[nodiscard]] bool names_its_type(const Graph& graph, const Node& node);

/// True when the opset has the node's operator for `type`, a 16-bit float type. False for operators without a type
/// signature.
[[nodiscard]] bool computes_in(const Graph& graph, const Node& node, DataType type);

/// True when the input has `type` once the node computes in it. False for slots that are FP32 whatever the node's type
/// is, such as the scales of Resize.
[[nodiscard]] bool input_follows(const Graph& graph, const Node& node, size_t slot, DataType type);
/// The same for an output. False for Mean and InvStdDev of LayerNormalization, for example.
[[nodiscard]] bool output_follows(const Graph& graph, const Node& node, size_t slot, DataType type);

}  // namespace detent
