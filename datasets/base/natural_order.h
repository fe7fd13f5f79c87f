#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace detent {

/// True when `a` comes before `b` in natural order: "img2" before "img10", folder by folder.
///
/// Runs of digits compare by value, everything else byte by byte; '/' comes before every other character. Texts that
/// are equal that way ("img2", "img02") compare byte by byte, so the order is total.
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

/// Returns every regular file below `folder` for which `wanted` holds, as paths relative to it with '/', in natural
/// order.
///
/// Skips hidden files and folders (leading '.'), follows links to folders, and enters each folder once.
/// Empty   no such file -> empty.
/// Errors  InvalidData when the folder cannot be read.
[[nodiscard]] std::vector<std::string> files_below(const std::filesystem::path& folder,
                                                   const std::function<bool(const std::filesystem::path&)>& wanted);

/// Returns the extension of `path` in lower case with its dot: ".jpeg"; empty when there is none.
[[nodiscard]] std::string lower_extension(const std::filesystem::path& path);

}  // namespace detent
