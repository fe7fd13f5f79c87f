#pragma once

namespace onnx {
class ModelProto;
}

namespace detent {

/// Runs libonnx's checker, as far as it knows the model's versions and operators. The model is the same afterwards.
/// Errors  InvalidModel with the checker's first line.
void run_onnx_checker(onnx::ModelProto& proto);

}  // namespace detent
