#pragma once

#include <filesystem>
#include <string>

namespace detent {

/// Makes an empty folder below TMPDIR whose name begins with "detent_NAME_", for remove_temporary_folder(). It is also
/// removed when Ctrl-C ends the process at once; of a process that was killed, by the next call for a folder.
/// Errors  CannotWrite with the system's reason.
[[nodiscard]] std::filesystem::path make_temporary_folder(const std::string& name);

/// Returns true for a path whose last part is a name of such a folder, of any process since the kernel's start.
[[nodiscard]] bool is_temporary_folder(const std::filesystem::path& folder);

/// Removes such a folder with its content, as far as the system permits.
void remove_temporary_folder(const std::filesystem::path& folder);

/// Opens an unnamed file below TMPDIR, which is gone when it is closed.
/// Errors  CannotWrite with the system's reason.
[[nodiscard]] int open_temporary_file();

}  // namespace detent
