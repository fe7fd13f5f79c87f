#pragma once

#include <memory>

#include "model/graph/graph.h"

namespace onnx {
class ModelProto;
}

namespace detent {

/// Makes the index of the main graph, subgraphs included.
///
/// Nodes keep the file's order wherever it is valid; where it is not, a node moves behind the producers of its inputs.
/// Errors  InvalidModel naming node and value: a value that nothing defines, defined twice, a cycle, a missing output.
[[nodiscard]] std::unique_ptr<Graph> index_graph(const onnx::ModelProto& model);

}  // namespace detent
