#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace detent {

/// The class of each pixel of an image, row by row.
struct ClassMask {
  int64_t height = 0, width = 0;
  std::vector<uint16_t> classes;
};

/// Finds the mask of the image called `image` (a path relative to its folder) below `folder`: the same path or, for
/// formats that cannot be masks (JPEG), the same path with a lossless format's extension; then the same without
/// folders, which is the only way for a path that leaves its folder. nullopt when there is none.
[[nodiscard]] std::optional<std::filesystem::path> find_mask(const std::filesystem::path& folder,
                                                             const std::string& image);

/// Reads an image whose pixel values are class numbers, 8 or 16 bits; three equal channels count as one.
/// Errors  InvalidData naming the file: unreadable, colours (a palette's included) instead of numbers.
[[nodiscard]] ClassMask read_mask(const std::filesystem::path& path);

}  // namespace detent
