#pragma once

#include <string>
#include <vector>

namespace onnx {
class GraphProto;
}

namespace detent {

/// Returns a unique name for every node, by position in the file: the node's name, OP_position where it has none; the
/// second node of a name gets "_1" behind it, the third "_2", skipping names that are taken.
[[nodiscard]] std::vector<std::string> node_names(const onnx::GraphProto& graph);

}  // namespace detent
