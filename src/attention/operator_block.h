#pragma once

#include "attention/attention_block.h"

namespace detent {

/// True for ONNX's operator Attention, of opset 23 and later.
[[nodiscard]] bool is_attention_operator(const Node& node);

/// Inputs of the operator.
enum class AttentionInput : uint8_t { Query, Key, Value, Mask, PastKey, PastValue, Lengths };
[[nodiscard]] inline MaybeValue input_of(const Node& node, AttentionInput input) {
  return node.input(static_cast<size_t>(input));
}

/// Returns the block of an Attention node. Its obstacle names what primitives have no form for that engines fuse:
/// caches, a soft cap, scores as an output, windows.
[[nodiscard]] AttentionBlock operator_block(const Graph& graph, const Node& node, const ExtentsOf& extents_of);

}  // namespace detent
