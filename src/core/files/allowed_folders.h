#pragma once

#include <filesystem>
#include <vector>

namespace detent {

/// Folders outside a model's own whose files it may name as external data: --allow-external, empty until then.
[[nodiscard]] const std::vector<std::filesystem::path>& allowed_folders();

/// From now on `folder` too, in the whole process, links resolved now. Not to be called while models are read.
/// Errors  Usage when it is no folder or cannot be reached.
void allow_folder(const std::filesystem::path& folder);

/// None again.
void forget_allowed_folders();

}  // namespace detent
