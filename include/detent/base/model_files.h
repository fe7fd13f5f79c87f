#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "detent/base/api.h"

namespace detent {

/// What tells whether two models are the same files.
struct ModelFiles {
  std::string sha256;  ///< of the bytes of the .onnx file, 64 hexadecimal digits: what `sha256sum` prints
  /// A file beside it that holds weights.
  struct Weights {
    std::string location;  ///< as the model names it
    uint64_t bytes = 0;    ///< its size
    /// Of all its bytes, 32 hexadecimal digits: MurmurHash3_x64_128, which takes half the time of SHA-256 where the CPU
    /// has instructions for that, and an eighth elsewhere.
    std::string digest;
  };
  std::vector<Weights> weights;  ///< by location
};

/// Reads all files of a model once, in order, and keeps none of their pages in memory.
/// Errors  InvalidModel where a file is missing or is no model.
[[nodiscard]] DETENT_API ModelFiles digest_model_files(const std::filesystem::path& model);

}  // namespace detent
