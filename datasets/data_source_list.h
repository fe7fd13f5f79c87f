#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "datasets/source_request.h"

namespace detent {

/// Returns every form, in the order in which they are tried.
[[nodiscard]] std::span<const DataSourceEntry> data_source_list();

/// A .txt (one path a line) or .csv (column `file`) that lists images, audio or .npy files, in its order; paths are
/// relative to the list. Sample names are the written paths. read_labels reads labels. Errors  InvalidData when the
/// list is empty, has no column `file`, or mixes kinds of files.
[[nodiscard]] bool is_file_list(const std::string& src);
[[nodiscard]] std::unique_ptr<DataSource> open_file_list(const SourceRequest& request);
[[nodiscard]] Preprocessed kind_of_list(const std::string& src);
/// Returns the paths of the listed files.
[[nodiscard]] std::vector<std::filesystem::path> files_of_list(const std::string& src);

/// A test_data_set_N folder or its parent: input_K.pb feeds the model's K-th input. Batches are split like arrays.
/// Errors  InvalidData when a file is missing, unreadable or does not fit, or inputs hold different numbers of samples.
[[nodiscard]] bool is_test_data_set(const std::string& src);
[[nodiscard]] std::unique_ptr<DataSource> open_test_data_set(const SourceRequest& request);

}  // namespace detent
