#pragma once

#include <filesystem>
#include <vector>

namespace detent {

/// Returns the folders outside the model's folder whose files it may name as external data (--allow-external).
[[nodiscard]] const std::vector<std::filesystem::path>& allowed_folders();

/// Allows `folder` in the whole process; links are resolved now. Not to be called while models are read.
/// Errors  Usage when it is not a folder or cannot be reached.
void allow_folder(const std::filesystem::path& folder);

/// Removes all allowed folders.
void forget_allowed_folders();

}  // namespace detent
