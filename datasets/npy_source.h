#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "datasets/base/npy_file.h"
#include "datasets/source_request.h"

namespace detent {

/// One .npy: axis 0 holds the samples, which are read one at a time.
[[nodiscard]] bool is_npy(const std::string& src);
[[nodiscard]] std::unique_ptr<DataSource> open_npy(const SourceRequest& request);

/// A folder with .npy files and neither images nor audio, searched recursively, natural order by path.
[[nodiscard]] bool is_npy_folder(const std::string& src);
[[nodiscard]] std::unique_ptr<DataSource> open_npy_folder(const SourceRequest& request);

/// Opens the .npy files `names` below `root`, in this order. A file may hold several samples. Headers are read at once;
/// a file that is unreadable or has the wrong shape counts as one sample, whose read() reports it.
/// Errors  InvalidData when there is no sample, or no file fits.
[[nodiscard]] std::unique_ptr<DataSource> open_npy_files(const std::filesystem::path& root,
                                                         std::vector<std::string> names, const FeedInput& input);

/// Opens the samples of one file.
using OpenFile = std::function<std::unique_ptr<DataSource>(const std::filesystem::path&)>;

/// Joins the samples of the files `names` below `root`, in this order. A file that cannot be opened counts as one
/// sample, whose read() reports it.
/// Errors  InvalidData when there is no sample; the first file's error when no file can be opened.
[[nodiscard]] std::unique_ptr<DataSource> open_files(const std::filesystem::path& root, std::vector<std::string> names,
                                                     OpenFile open);

/// Returns sample `i` of an array file; reads only what is needed when samples are on axis 0.
[[nodiscard]] ArraySample read_sample(const NpyFile& file, const ArrayFit& fit, size_t i, const FeedInput& input);

}  // namespace detent
