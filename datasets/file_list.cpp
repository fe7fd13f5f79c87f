#include <algorithm>
#include <filesystem>
#include <vector>

#include "core/files/reach.h"
#include "core/index.h"
#include "datasets/audio_folder.h"
#include "datasets/base/csv.h"
#include "datasets/base/natural_order.h"
#include "datasets/data_source_list.h"
#include "datasets/image_folder.h"
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

Preprocessed kind_of_list(const std::string& src) {
  const std::vector<std::string> files = listed_files(src);
  return std::ranges::any_of(files, has_image_extension)   ? Preprocessed::Images
         : std::ranges::any_of(files, has_audio_extension) ? Preprocessed::Audio
                                                           : Preprocessed::Nothing;
}

std::vector<fs::path> files_of_list(const std::string& src) {
  std::vector<fs::path> files;
  for (const std::string& file : listed_files(src)) files.push_back(fs::path(src).parent_path() / file);
  return files;
}

std::unique_ptr<DataSource> open_file_list(const SourceRequest& request) {
  std::vector<std::string> files = listed_files(request.src);
  if (files.empty()) throw Error(ErrorCode::InvalidData, request.src + ": the list names no files");
  const auto count = [&files](auto&& wanted) { return as_index(std::ranges::count_if(files, wanted)); };
  const size_t arrays = count([](const std::string& file) { return lower_extension(file) == ".npy"; });
  const size_t clips = count(has_audio_extension);
  for (const auto& [found, what] : {std::pair{arrays, ".npy"}, std::pair{clips, "audio"}})
    if (found != 0 && found != files.size())
      throw Error(ErrorCode::InvalidData, request.src + ": the list names " + std::to_string(found) + " " + what +
                                              " files and " + std::to_string(files.size() - found) +
                                              " others; one kind is needed");
  const fs::path root = fs::path(request.src).parent_path();
  if (clips > 0) return open_clips(root, std::move(files), request);
  if (arrays > 0) return open_npy_files(root, std::move(files), request.inputs.front());
  return open_images(root, std::move(files), request.inputs.front(), request.preprocess);
}

}  // namespace detent
