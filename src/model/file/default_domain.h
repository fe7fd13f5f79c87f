#pragma once

#include <cstdint>

namespace onnx {
class ModelProto;
}

namespace detent {

/// "ai.onnx" is another spelling of the default domain, "": all operator sets and nodes get the latter, those of
/// subgraphs and functions too.
/// Source  ONNX IR specification, "Operator Sets".
void use_empty_default_domain(onnx::ModelProto& proto);

/// The version of the default domain, in either spelling; 0 when the model does not import it.
[[nodiscard]] int64_t default_opset(const onnx::ModelProto& proto);

}  // namespace detent
