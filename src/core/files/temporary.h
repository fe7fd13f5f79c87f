#pragma once

#include <filesystem>
#include <string>

namespace detent {

/// A new empty folder below TMPDIR whose name begins with "detent_NAME_", to be removed with
/// remove_temporary_folder(); it goes with the process too where Ctrl-C ends that at once.
/// Errors  CannotWrite with the system's reason.
[[nodiscard]] std::filesystem::path make_temporary_folder(const std::string& name);

/// Removes such a folder and all that lies in it, as far as the system lets it.
void remove_temporary_folder(const std::filesystem::path& folder);

/// The descriptor of a file below TMPDIR without a name, gone when it is closed.
/// Errors  CannotWrite with the system's
/// reason.
[[nodiscard]] int open_temporary_file();

}  // namespace detent
