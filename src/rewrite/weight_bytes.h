#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "model/graph/graph.h"

namespace detent {

/// Returns the bytes that weights take in the file, by type: "int8" (signed or not), "fp8", "int4", "int32" (quantized
/// biases) for constant codes that a DequantizeLinear reads, directly or behind a Gather, with its scales and zero
/// points; "float" for every other float constant. Scales of pairs on activations and other integers (shapes, indices)
/// are not weights. Constants inside branches and loops are not counted. A type without bytes is left out.
[[nodiscard]] std::map<std::string, uint64_t> weight_bytes_by_type(const Graph& graph);

}  // namespace detent
