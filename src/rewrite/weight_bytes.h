#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "model/graph/graph.h"

namespace detent {

/// Bytes that weights take in the file, by type: "int8" (signed or not), "fp8", "int4", "int32" (quantized biases)
/// where a DequantizeLinear reads constant codes, or rows of them behind a Gather, with its scales and zero points;
/// every other float constant is "float". Scales of pairs on activations and other integers (shapes, indices) are no
/// weights. Constants inside branches and loops are not counted.
/// Empty  no constants -> no types. A type without bytes
/// is not there.
[[nodiscard]] std::map<std::string, uint64_t> weight_bytes_by_type(const Graph& graph);

}  // namespace detent
