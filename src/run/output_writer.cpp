#include "run/output_writer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>
#include <set>

#include "core/files/content_hash.h"
#include "core/files/dead_temporaries.h"
#include "core/files/input_files.h"
#include "core/files/output_set.h"
#include "core/files/reach.h"
#include "core/index.h"
#include "detent/base/error.h"

namespace detent {

std::string file_name_for(const std::string& output) {
  std::string name = output;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.' && c != '-') c = '_';
  if (name.empty() || name == "." || name == "..") name = "_";
  constexpr size_t kLongestName = 200;  // file systems take 255 bytes, and ".npy" and a temporary file's ending follow
  if (name.size() <= kLongestName) return name;
  ContentHash hash;
  hash.add_text(output);
  const std::string ending = "_" + hash.digest().hex();
  return name.substr(0, kLongestName - ending.size()) + ending;
}

std::vector<std::string> file_names_for(const std::vector<std::string>& outputs) {
  std::set<std::string> taken;
  const auto take = [&](const std::string& name) {
    const std::string file = name + ".npy";
    if (taken.contains(name) || taken.contains(file)) return false;
    taken.insert({name, file});
    return true;
  };
  std::vector<std::string> names;
  for (const std::string& output : outputs) {
    const std::string wish = file_name_for(output);
    std::string name = wish;
    for (int number = 2; !take(name); ++number) name = wish + "_" + std::to_string(number);
    names.push_back(name);
  }
  return names;
}

OutputWriter::OutputWriter(std::filesystem::path folder, const std::string& name, int64_t batch, bool overwrite)
    : stacked_path_(folder / (name + ".npy")), folder_path_(folder / name), batch_(batch) {
  for (const auto& path : {stacked_path_, folder_path_}) {
    check_is_no_input(path);
    if (!overwrite && is_there(path))
      throw Error(ErrorCode::CannotWrite, path.string() + ": exists already",
                  "choose another folder or add --overwrite");
  }
  for (const auto& place : {folder, folder_path_}) remove_dead_temporaries_in(place);
  stacked_ = std::make_unique<NpyWriter>(stacked_path_, overwrite);
}

namespace {

/// Returns the axis that is known to count samples, otherwise the first of the extent of a batch; none for a batch
/// of 1.
std::optional<size_t> axis_of_batch(int64_t batch, const Shape& shape, const SampleAxis& where) {
  const bool counts = where.kind == SampleAxis::Kind::Counts && where.axis < shape.rank();
  if (counts && batch > 1 && shape[where.axis] == batch) return where.axis;
  const auto first = std::ranges::find(shape, batch);
  if (batch == 1 || first == shape.end()) return std::nullopt;
  return as_index(first - shape.begin());
}

/// Returns the slices of the axis one after the other, each with that axis as 1 under a new axis 0.
Tensor slices_as_rows(const Tensor& output, size_t axis, size_t real) {
  const Shape& shape = output.shape();
  Shape rows{as_extent(real)};
  for (size_t i = 0; i < shape.rank(); ++i) rows.push_back(i == axis ? 1 : shape[i]);
  Tensor result(output.type(), rows);
  const size_t block = as_index(shape.element_count(axis + 1, shape.rank())) * byte_size(output.type());
  const auto* from = static_cast<const std::byte*>(output.raw());
  auto* to = static_cast<std::byte*>(result.mutable_raw());
  for (size_t sample = 0; sample < real; ++sample)
    for (int64_t outer = 0; outer < shape.element_count(0, axis); ++outer, to += block)
      std::memcpy(to, from + (as_index(outer * shape[axis]) + sample) * block, block);
  return result;
}

/// Returns the rows to append: the real part when axis 0 is the batch, slices where another axis is, otherwise the
/// whole output under a new axis 0.
Tensor as_rows(const Tensor& output, int64_t batch, size_t real, const SampleAxis& where) {
  const Shape& shape = output.shape();
  if (shape.rank() == 0) return output;
  const auto axis = axis_of_batch(batch, shape, where);
  if (axis.value_or(0) == 0 && shape[0] == batch) return output.slice0(0, as_extent(real));
  if (axis) return slices_as_rows(output, *axis, real);
  Shape rows{1};
  for (const int64_t extent : shape) rows.push_back(extent);
  return output.reshaped(rows);
}

}  // namespace

void OutputWriter::append(const Tensor& output, size_t real, const SampleAxis& where) {
  if (output.empty_handle() || output.is_sequence()) {
    if (stacked_) split();
    return write_separately(output);
  }
  const Tensor rows = as_rows(output, batch_, real, where);
  if (stacked_ && stacked_->fits(rows)) {
    new_axis_ = rows.shape().rank() > output.shape().rank();
    return stacked_->append(rows);
  }
  if (stacked_) split();
  write_separately(output);
}

void OutputWriter::split() {
  for (int64_t row = 0; row < stacked_->rows(); ++row) {
    const Tensor one = stacked_->read_back(row);
    const Shape& shape = one.shape();
    write_separately(new_axis_ ? one.reshaped(Shape(std::vector<int64_t>(shape.begin() + 1, shape.end()))) : one);
  }
  stacked_.reset();
}

void OutputWriter::write_separately(const Tensor& sample) {
  std::error_code error;
  std::filesystem::create_directories(folder_path_, error);
  const AtOnce now;  // one file for each sample
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
