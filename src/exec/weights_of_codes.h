#pragma once

#include <cstdint>
#include <initializer_list>

#include "model/graph/graph.h"
#include "ops/op_kind.h"

namespace detent {

/// True for a DequantizeLinear over constant codes whose output only nodes of `kinds` read, as their weight.
[[nodiscard]] bool makes_weight(const Graph& graph, const Node& node, std::initializer_list<OpKind> kinds);

/// True for a DequantizeLinear over codes in blocks or of 4 bits that products read.
[[nodiscard]] bool unpacks_weight(const Graph& graph, const Node& node);

/// Returns the bytes of the floats that such nodes write.
[[nodiscard]] uint64_t unpacked_bytes(const Graph& graph);

}  // namespace detent
