#pragma once

#include <filesystem>
#include <vector>

#include "core/files/content_hash.h"

namespace detent {

/// Returns the path for the weights of `model`: NAME.onnx.0123456789abcdef.data beside it. The digits come from the
/// content, so that a model, old or new, names its own data at every moment of a write, and equal models are equal
/// files.
[[nodiscard]] std::filesystem::path data_path_of(const std::filesystem::path& model, const Digest& content);

/// Returns the files with such names that the model at `model` refers to; none where it cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> data_files_of(const std::filesystem::path& model);
/// Does the same for a model whose content lies at another path for now.
[[nodiscard]] std::vector<std::filesystem::path> data_files_of(const std::filesystem::path& model,
                                                               const std::filesystem::path& content);

/// True for a name that data_path_of() may give to the weights of `model`.
[[nodiscard]] bool may_be_data_of(const std::filesystem::path& file, const std::filesystem::path& model);

}  // namespace detent
