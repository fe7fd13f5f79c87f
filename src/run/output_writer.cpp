#include "run/output_writer.h"

#include <fmt/core.h>

#include <cctype>

#include "detent/error.h"

namespace detent {

std::string file_name_for(const std::string& output) {
  std::string name = output;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.' && c != '-') c = '_';
  if (name.empty() || name == "." || name == "..") name = "_";
  return name;
}

OutputWriter::OutputWriter(std::filesystem::path folder, const std::string& output, int64_t batch, bool overwrite)
    : stacked_path_(folder / (file_name_for(output) + ".npy")), folder_path_(folder / file_name_for(output)),
      batch_(batch) {
  for (const auto& path : {stacked_path_, folder_path_})
    if (!overwrite && std::filesystem::exists(path))
      throw Error(ErrorCode::CannotWrite, path.string() + ": exists already",
                  "choose another folder or add --overwrite");
  stacked_ = std::make_unique<NpyWriter>(stacked_path_);
}

namespace {

/// Rows to append: the real part when axis 0 is the batch, else the whole output under a new axis 0.
Tensor as_rows(const Tensor& output, int64_t batch, size_t real) {
  const Shape& shape = output.shape();
  if (shape.rank() == 0) return output;
  if (shape[0] == batch) return output.slice0(0, static_cast<int64_t>(real));
  Shape rows{1};
  for (const int64_t extent : shape) rows.push_back(extent);
  return output.reshaped(rows);
}

}  // namespace

void OutputWriter::append(const Tensor& output, size_t real) {
  if (output.empty_handle() || output.is_sequence()) {
    if (stacked_) split();
    return write_separately(output);
  }
  const Tensor rows = as_rows(output, batch_, real);
  if (stacked_ && stacked_->fits(rows)) return stacked_->append(rows);
  if (stacked_) split();
  write_separately(output);
}

void OutputWriter::split() {
  for (int64_t row = 0; row < stacked_->rows(); ++row) write_separately(stacked_->read_back(row));
  stacked_.reset();
}

void OutputWriter::write_separately(const Tensor& sample) {
  std::error_code error;
  std::filesystem::create_directories(folder_path_, error);
  if (error) throw Error(ErrorCode::CannotWrite, folder_path_.string() + ": " + error.message());
  const std::string name = fmt::format("{:06}", separate_++);
  if (sample.empty_handle()) return;
  if (!sample.is_sequence()) return write_npy(folder_path_ / (name + ".npy"), sample);
  for (size_t i = 0; i < sample.elements().size(); ++i)
    write_npy(folder_path_ / (name + "_" + std::to_string(i) + ".npy"), sample.elements()[i]);
}

std::filesystem::path OutputWriter::close() {
  if (!stacked_) return folder_path_;
  stacked_->close();
  return stacked_path_;
}

}  // namespace detent
