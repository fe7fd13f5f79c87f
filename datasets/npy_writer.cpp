#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <limits>

#include "core/system_reason.h"
#include "datasets/npy.h"
#include "datasets/npy_format.h"
#include "detent/error.h"

namespace detent {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  const std::string said = with_system_reason(what);
  throw Error(ErrorCode::CannotWrite, path.string() + ": " + said);
}

/// Beside the target, so that the rename stays within one file system; unique within and between processes.
std::filesystem::path temporary_beside(const std::filesystem::path& path) {
  static std::atomic<unsigned> counter{0};
  std::filesystem::path temporary = path;
  temporary += "." + std::to_string(::getpid()) + "." + std::to_string(counter.fetch_add(1)) + ".tmp";
  return temporary;
}

/// The tensor as it goes into the file: plain layout, a type that NumPy knows.
Tensor storable(const Tensor& tensor) {
  const Tensor plain = to_plain(tensor);
  switch (plain.type()) {
    case DataType::BFloat16: return cast(plain, DataType::Float32);
    case DataType::Int4: return plain.reinterpreted(DataType::Int8);
    case DataType::UInt4: return plain.reinterpreted(DataType::UInt8);
    default: return plain;
  }
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

NpyWriter::NpyWriter(std::filesystem::path path) : path_(std::move(path)), temporary_(temporary_beside(path_)) {
  descriptor_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(path_, "cannot be written");
}

NpyWriter::~NpyWriter() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(temporary_.c_str());
}

std::string NpyWriter::header() const {
  // The number of rows is known at the end only: room for the longest one is left.
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
    write_at(0, text.data(), text.size());
    end_ = text.size();
  }
  write_at(end_, stored.raw(), stored.byte_count());
  end_ += stored.byte_count();
  rows_ += scalars_ ? 1 : rows.shape()[0];
}

Tensor NpyWriter::read_back(int64_t row) const {
  Tensor result(npy_storage_type(type_), scalars_ ? Shape{} : with_rows(1, row_shape_));
  const size_t bytes = result.byte_count();
  uint64_t offset = header().size() + static_cast<uint64_t>(row) * bytes;
  auto* out = static_cast<char*>(result.mutable_raw());
  for (size_t done = 0; done < bytes;) {
    const ssize_t got = ::pread(descriptor_, out + done, bytes - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail(path_, "what was written cannot be read back");
    done += static_cast<size_t>(got);
  }
  if (type_ == DataType::BFloat16) return cast(result, type_);
  return result.type() == type_ ? result : result.reinterpreted(type_);
}

void NpyWriter::write_at(uint64_t offset, const void* data, size_t bytes) {
  const auto* source = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t put = ::pwrite(descriptor_, source, bytes, static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail(path_, "cannot be written");
    source += put;
    offset += static_cast<uint64_t>(put);
    bytes -= static_cast<size_t>(put);
  }
}

void NpyWriter::close() {
  if (descriptor_ < 0) return;
  if (type_ == DataType::Undefined) type_ = DataType::Float32;
  const std::string text = header();
  write_at(0, text.data(), text.size());
  publish();
}

void NpyWriter::publish() {
  if (::fsync(descriptor_) != 0) fail(path_, "cannot be written");
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail(path_, "cannot be written");
  ::close(descriptor_);
  descriptor_ = -1;
}

void write_npy(const std::filesystem::path& path, const Tensor& tensor) {
  // A tensor of rank 1 or more is a stack of its own rows; only a scalar's header differs from the writer's.
  NpyWriter writer(path);
  if (tensor.shape().rank() == 0) {
    const Tensor stored = storable(tensor);
    const std::string text = format_npy_header(stored.type(), Shape{});
    writer.write_at(0, text.data(), text.size());
    writer.write_at(text.size(), stored.raw(), stored.byte_count());
    return writer.publish();
  }
  writer.append(tensor);
  writer.close();
}

}  // namespace detent
