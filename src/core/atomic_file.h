#pragma once

#include <filesystem>
#include <string_view>

namespace detent {

/// Writes a file whole or not at all: temporary file beside it, fsync, rename. An existing file is replaced.
/// Errors  CannotWrite naming the file and the system's reason.
void write_file(const std::filesystem::path& path, std::string_view content);

/// Errors  CannotWrite when `path` exists and `overwrite` is false, or its folder does not exist or takes no files.
void check_writable(const std::filesystem::path& path, bool overwrite);

}  // namespace detent
