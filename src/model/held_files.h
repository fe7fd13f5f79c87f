#pragma once

#include <memory>
#include <vector>

namespace onnx {
class ModelProto;
}

namespace detent {

class MappedFile;

/// Returns the files that the initializers of the main graph look into, for the Model that gets the document.
[[nodiscard]] std::vector<std::shared_ptr<const MappedFile>> held_files(const onnx::ModelProto& proto);

}  // namespace detent
