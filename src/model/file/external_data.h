#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace onnx {
class ModelProto;
}

namespace detent {

class MappedFile;

/// Files that hold data of a model, by their names in the model.
using ExternalFiles = std::map<std::string, std::shared_ptr<const MappedFile>>;

/// Finds the data of every tensor that lies in an external file, subgraphs and attributes included. Initializers of the
/// main graph look into the mapped files that are returned (model/graph/stored_data.h); other tensors get a copy.
///
/// model_file  the file that the model was read from; locations are relative to its folder.
/// Errors  InvalidModel: the file is missing, too short or not a regular one, or lies outside the model's folder and
///         those of allowed_folders(), links resolved; InvalidData: a copy is beyond memory_limit().
/// Source  ONNX docs/ExternalData.md: keys location, offset, length, checksum.
[[nodiscard]] ExternalFiles load_external_data(onnx::ModelProto& model, const std::filesystem::path& model_file);

}  // namespace detent
