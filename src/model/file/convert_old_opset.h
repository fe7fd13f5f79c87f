#pragma once

#include <cstdint>

namespace onnx {
class ModelProto;
}

namespace detent {

/// Brings a model of an opset below `target` (at most libonnx's newest) to `target` by libonnx's version converter.
/// Node names are kept; values inside may be renamed, graph inputs and outputs are not.
/// Errors  InvalidModel for an impossible graph, on which the converter would crash; Unsupported with libonnx's
/// reason when it has no conversion for an operator.
void convert_old_opset(onnx::ModelProto& proto, int64_t from, int64_t target);

}  // namespace detent
