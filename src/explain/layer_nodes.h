#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "explain/engine.h"

namespace detent {

/// Returns the ONNX nodes in a layer, each once: those of its metadata, else those of its name. A reformat has none.
[[nodiscard]] std::vector<std::string> nodes_of(const EngineLayer& layer);

/// Returns the weights in a layer's name, as versions before 8.6 wrote it: "conv1.weight" of "conv1.weight + Conv_9".
[[nodiscard]] std::vector<std::string> weights_in_name(std::string_view name);

/// Returns true where the name holds weights that are codes in the file: "conv1.weight_quantized + Conv_9".
[[nodiscard]] bool holds_codes_of_weights(std::string_view name);

/// Returns true for "{ForeignNode[a...b]}": a part of the network that is compiled as one, from node a to node b.
[[nodiscard]] bool is_block(std::string_view name);

/// Returns the operator that exporters put at the end of a node's name: "Conv" of "/layer1/conv1/Conv_2".
[[nodiscard]] std::string_view op_of(std::string_view node);

[[nodiscard]] bool is_quantizer(std::string_view node);
[[nodiscard]] bool is_dequantizer(std::string_view node);
/// Returns true where one of the nodes has this operator by its name.
[[nodiscard]] bool holds_op(const std::vector<std::string>& nodes, std::string_view op);
/// Returns the nodes that are no quantizers, or all where there are only these.
[[nodiscard]] std::vector<std::string> computing_nodes(const std::vector<std::string>& nodes);

}  // namespace detent
