#pragma once

#include <cstdint>

namespace onnx {
class ModelProto;
}

namespace detent {

/// Replaces "ai.onnx", another spelling of the default domain, by "" in all operator sets and nodes, also of subgraphs
/// and functions. Source  ONNX IR specification, "Operator Sets".
void use_empty_default_domain(onnx::ModelProto& proto);

/// Returns the version of the default domain, in either spelling; 0 when the model does not import it.
[[nodiscard]] int64_t default_opset(const onnx::ModelProto& proto);

}  // namespace detent
