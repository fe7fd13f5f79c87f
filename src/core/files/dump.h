#pragma once

#include <filesystem>
#include <string_view>

namespace detent {

/// True when the environment's DETENT_DUMP names a folder for what developers look into; CONTRIBUTING.md says what.
[[nodiscard]] bool dumps();

/// Returns the path of the next dump in that folder, which is made: FOLDER/003-draft.txt for "draft.txt". From any
/// thread. Errors  CannotWrite when the folder cannot be made.
[[nodiscard]] std::filesystem::path next_dump(std::string_view name);

}  // namespace detent
