#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "detent/base/api.h"

namespace detent {

/// Digests of a model's files: two models are the same where they are equal.
struct ModelFiles {
  std::string sha256;  ///< of the bytes of the .onnx file, 64 hexadecimal digits, as `sha256sum` prints it
  /// A file beside the model that holds weights.
  struct Weights {
    std::string location;  ///< as the model names it
    uint64_t bytes = 0;    ///< its size
    /// MurmurHash3_x64_128 of all its bytes, 32 hexadecimal digits: half the time of SHA-256 where the CPU has
    /// instructions for that, an eighth elsewhere.
    std::string digest;
  };
  std::vector<Weights> weights;  ///< by location
};

/// Reads all files of a model once, in order, and keeps none of their pages in memory.
/// Errors  InvalidModel where a file is missing or is no model.
[[nodiscard]] DETENT_API ModelFiles digest_model_files(const std::filesystem::path& model);

}  // namespace detent
