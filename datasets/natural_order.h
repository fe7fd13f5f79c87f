#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace detent {

/// True when `a` comes before `b` as people count: "img2" before "img10", folder by folder.
///
/// Runs of digits compare by value, everything else byte by byte; '/' comes before every other character. Texts that
/// are equal that way ("img2", "img02") fall back to a byte-by-byte comparison, so the order is total.
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

/// Every regular file below `folder` for which `wanted` holds, as paths relative to it with '/', in natural order.
///
/// Hidden files and folders (leading '.') are left out; links to folders are followed, each folder is entered once.
/// Empty   nothing wanted -> empty.
/// Errors  InvalidData when the folder cannot be read.
[[nodiscard]] std::vector<std::string> files_below(const std::filesystem::path& folder,
                                                   const std::function<bool(const std::filesystem::path&)>& wanted);

/// Extension of `path` in lower case with its dot: ".jpeg"; empty when there is none.
[[nodiscard]] std::string lower_extension(const std::filesystem::path& path);

}  // namespace detent
