#pragma once

#include <filesystem>

#include "explain/engine.h"

namespace detent {

/// Reads an engine's layers. It recognizes the form by the content: TensorRT's layer information as JSON (objects, or
/// names only), several dumps of single layers in one file, the text of logs, and ONNX Runtime's profile.
/// Errors  InvalidData for a file of another kind, one that ends in the middle, and one without layers.
[[nodiscard]] BuiltEngine read_engine(const std::filesystem::path& file);

/// Sets the times of the layers by the rows of a profile of TensorRT with the same names.
/// Errors  InvalidData for a file of another kind, one that ends in the middle, and one that knows none of the layers.
void read_times(const std::filesystem::path& file, BuiltEngine& engine);

}  // namespace detent
