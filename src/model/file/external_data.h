#pragma once

#include <filesystem>

namespace onnx {
class ModelProto;
}

namespace detent {

/// Loads every tensor that lies in an external file into the model, subgraphs and attributes included.
///
/// `model_file` is the file the model was read from; locations are relative to its folder.
/// Errors  InvalidModel: the file is missing, too short or not a regular one, or lies outside the model's folder and those of
/// allowed_folders(), links resolved; InvalidData: it is beyond memory_limit().
/// Source  ONNX docs/ExternalData.md: keys location, offset, length, checksum.
void load_external_data(onnx::ModelProto& model, const std::filesystem::path& model_file);

}  // namespace detent
