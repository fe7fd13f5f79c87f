#pragma once

#include <filesystem>
#include <string>

namespace detent {

/// A new empty folder below TMPDIR whose name begins with "detent_NAME_"; the caller removes it.
/// Errors  CannotWrite with the system's reason.
[[nodiscard]] std::filesystem::path make_temporary_folder(const std::string& name);

/// The descriptor of a file below TMPDIR without a name, gone when it is closed; -1, errno set, when there can be none.
[[nodiscard]] int open_temporary_file();

}  // namespace detent
