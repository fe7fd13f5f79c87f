#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace detent {

// Questions about the end of a path, links followed. Unlike the functions of std::filesystem these never throw: a path
// that cannot be reached (no such file, closed folder, circle of links, too long) leads to nothing: see no_reach().

[[nodiscard]] bool is_folder(const std::filesystem::path& path);
[[nodiscard]] bool is_regular(const std::filesystem::path& path);
/// True for everything that is there: files, folders, devices, pipes.
[[nodiscard]] bool is_there(const std::filesystem::path& path);

inline constexpr std::string_view kNoSuchFile = "there is no such file or folder";

/// Returns why nothing can be reached: kNoSuchFile, or "cannot be reached: Permission denied" with the system's reason;
/// "" for a path that leads somewhere.
[[nodiscard]] std::string no_reach(const std::filesystem::path& path);

/// Returns the path behind all links at the end of `path`, also where nothing is there yet: a file that is written
/// through a dangling link appears where the link points. `path` itself in a circle of links.
[[nodiscard]] std::filesystem::path behind_links(const std::filesystem::path& path);

/// Returns one path for all paths that name the same place: links are followed, also dangling ones and those of
/// folders.
[[nodiscard]] std::filesystem::path place_of(const std::filesystem::path& path);

/// Returns the folder of a file; "." for a name alone.
[[nodiscard]] std::filesystem::path folder_of(const std::filesystem::path& path);

}  // namespace detent
