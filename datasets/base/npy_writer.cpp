#include "datasets/base/npy_writer.h"

#include <limits>
#include <string_view>
#include <utility>

#include "datasets/base/npy_format.h"
#include "detent/base/error.h"

namespace detent {

namespace {

/// Returns the tensor to write: plain layout, a type that NumPy knows.
Tensor storable(const Tensor& tensor) {
  const Tensor plain = to_plain(tensor);
  const DataType type = npy_storage_type(plain.type());
  return byte_size(type) == byte_size(plain.type()) ? plain.reinterpreted(type) : cast(plain, type);
}

std::string_view bytes_of(const Tensor& tensor) {
  return {static_cast<const char*>(tensor.raw()), tensor.byte_count()};
}

Shape row_shape_of(const Tensor& rows) {
  return rows.shape().rank() == 0 ? Shape{} : Shape(rows.shape().dims().subspan(1));
}

Shape with_rows(int64_t rows, const Shape& row_shape) {
  Shape shape{rows};
  for (const int64_t extent : row_shape) shape.push_back(extent);
  return shape;
}

}  // namespace

NpyWriter::NpyWriter(std::filesystem::path path, bool overwrite) : path_(std::move(path)), file_(path_, overwrite) {}

std::string NpyWriter::header() const {
  // The number of rows is known at the end: this leaves room for the longest one.
  const size_t width =
      format_npy_header(npy_storage_type(type_), with_rows(std::numeric_limits<int64_t>::max(), row_shape_)).size();
  return format_npy_header(npy_storage_type(type_), with_rows(rows_, row_shape_), width);
}

bool NpyWriter::fits(const Tensor& rows) const {
  if (type_ == DataType::Undefined) return true;
  return rows.type() == type_ && (rows.shape().rank() == 0) == scalars_ && row_shape_of(rows) == row_shape_;
}

void NpyWriter::append(const Tensor& rows) {
  if (!fits(rows))
    throw Error(ErrorCode::Internal, path_.string() + ": a tensor of shape " + rows.shape().to_string() +
                                         " cannot follow rows of shape " + row_shape_.to_string());
  const Tensor stored = storable(rows);
  if (type_ == DataType::Undefined) {
    type_ = rows.type();
    row_shape_ = row_shape_of(rows);
    scalars_ = rows.shape().rank() == 0;
    const std::string text = header();
    file_.write_at(0, text);
    end_ = text.size();
  }
  file_.write_at(end_, bytes_of(stored));
  end_ += stored.byte_count();
  rows_ += scalars_ ? 1 : rows.shape()[0];
}

Tensor NpyWriter::read_back(int64_t row) const {
  Tensor result(npy_storage_type(type_), scalars_ ? Shape{} : with_rows(1, row_shape_));
  const size_t bytes = result.byte_count();
  file_.read_back(header().size() + static_cast<uint64_t>(row) * bytes,
                  {static_cast<char*>(result.mutable_raw()), bytes});
  if (type_ == DataType::BFloat16) return cast(result, type_);
  return result.type() == type_ ? result : result.reinterpreted(type_);
}

void NpyWriter::close() {
  if (std::exchange(closed_, true)) return;
  if (type_ == DataType::Undefined) type_ = DataType::Float32;
  file_.write_at(0, header());
  file_.commit();
}

void write_npy(const std::filesystem::path& path, const Tensor& tensor) {
  // A tensor of rank 1 or more is a stack of its rows; only a scalar's header differs.
  if (tensor.shape().rank() > 0) {
    NpyWriter writer(path);
    writer.append(tensor);
    return writer.close();
  }
  const Tensor stored = storable(tensor);
  AtomicFile file(path);
  file.write(format_npy_header(stored.type(), Shape{}));
  file.write(bytes_of(stored));
  file.commit();
}

}  // namespace detent
