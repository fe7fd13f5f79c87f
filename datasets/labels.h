#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace detent {

struct FileLabel {
  std::string file;  ///< as written: relative to the images' folder (--labels) or to the list (--data LIST.csv)
  int64_t label = 0;
};

/// Reads the columns `file` and `label` of a .csv; other columns are ignored. Order as in the file.
/// Errors  InvalidData naming the file: a column is missing, a label is not a whole number, there are no rows.
[[nodiscard]] std::vector<FileLabel> read_labels(const std::filesystem::path& path);

}  // namespace detent
