#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace onnx {
class ModelProto;
}

namespace detent {

class MappedFile;

/// A document without the large raw data of its main graph's initializers.
struct ModelShell {
  /// The place of an initializer's raw data in the file.
  struct Raw {
    int initializer = 0;
    uint64_t offset = 0, length = 0;
  };
  std::unique_ptr<onnx::ModelProto> proto;  ///< nullptr: no ONNX model, or nested deeper than protobuf reads (100)
  std::vector<Raw> raw;
};

/// Parses `file`; raw data of 4 KiB or more stays in it, so that a model of 2 GB takes only the memory of its nodes.
/// Source  protobuf's encoding: fields in any order, each a tag with number and wire type.
[[nodiscard]] ModelShell parse_model_shell(const MappedFile& file);

}  // namespace detent
