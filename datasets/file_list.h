#pragma once

#include <memory>
#include <string>

#include "datasets/source_request.h"

namespace detent {

/// A .txt (one path a line) or .csv (column `file`) that lists images or .npy files, in its own order; paths are relative
/// to the list. Sample names are the paths as written. Labels are read by read_labels.
/// Errors  InvalidData when the list is empty, has no column `file`, or mixes kinds of files.
[[nodiscard]] bool is_file_list(const std::string& src);
[[nodiscard]] std::unique_ptr<DataSource> open_file_list(const SourceRequest& request);
/// Whether the list names images.
[[nodiscard]] bool lists_images(const std::string& src);

}  // namespace detent
