#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "detent/base/api.h"

namespace detent {

// Files that a command reads, which none of its outputs may replace. Some of the paths may not exist.

/// Returns a model and its external data; of a folder, itself and those of all models in it. The data of a model that
/// cannot be read is left out.
[[nodiscard]] DETENT_API std::vector<std::filesystem::path> files_of_model(const std::filesystem::path& model);

/// Returns the files and folders that "[INPUT=]SRC" may name: SRC, the files of a list, a text and its vocabulary.
/// Paths are read with and without each "INPUT=", because the names of the inputs are not known.
[[nodiscard]] DETENT_API std::vector<std::filesystem::path> files_of_data(const std::string& source);

}  // namespace detent
