#include <algorithm>
#include <filesystem>
#include <vector>

#include "core/files/reach.h"
#include "core/index.h"
#include "datasets/csv.h"
#include "datasets/data_source_list.h"
#include "datasets/image_folder.h"
#include "datasets/natural_order.h"
#include "datasets/npy_source.h"
#include "detent/base/error.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> listed_files(const fs::path& list) {
  if (lower_extension(list) == ".txt") return read_lines(list);
  const CsvTable table = read_csv(list);
  const int file = table.column("file");
  if (file < 0)
    throw Error(ErrorCode::InvalidData, list.string() + ": the header lacks a column 'file'",
                "the first line must name the columns: file, or file,label");
  std::vector<std::string> files;
  for (const auto& row : table.rows) files.push_back(row[as_index(file)]);
  return files;
}

}  // namespace

bool is_file_list(const std::string& src) {
  const std::string extension = lower_extension(src);
  return (extension == ".txt" || extension == ".csv") && !is_folder(src);
}

bool lists_images(const std::string& src) { return std::ranges::any_of(listed_files(src), has_image_extension); }

std::vector<fs::path> files_of_list(const std::string& src) {
  std::vector<fs::path> files;
  for (const std::string& file : listed_files(src)) files.push_back(fs::path(src).parent_path() / file);
  return files;
}

std::unique_ptr<DataSource> open_file_list(const SourceRequest& request) {
  std::vector<std::string> files = listed_files(request.src);
  if (files.empty()) throw Error(ErrorCode::InvalidData, request.src + ": the list names no files");
  const auto arrays = as_index(std::count_if(files.begin(), files.end(),
                                             [](const std::string& file) { return lower_extension(file) == ".npy"; }));
  if (arrays != 0 && arrays != files.size())
    throw Error(ErrorCode::InvalidData, request.src + ": the list names " + std::to_string(arrays) +
                                            " .npy files and " + std::to_string(files.size() - arrays) +
                                            " others; one kind is needed");
  const fs::path root = fs::path(request.src).parent_path();
  if (arrays > 0) return open_npy_files(root, std::move(files), request.inputs.front());
  return open_images(root, std::move(files), request.inputs.front(), request.preprocess);
}

}  // namespace detent
