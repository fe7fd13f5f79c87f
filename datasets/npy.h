#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "detent/tensor.h"

namespace detent {

/// Read-only bytes of an open file; the descriptor is closed with the last holder. Reads use pread: many threads at once.
class FileBytes {
 public:
  /// The bytes [offset, offset + length) of an open descriptor, which this object closes. `name` is used in messages.
  FileBytes(int descriptor, std::string name);
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  /// Opens a file for reading. Errors  InvalidData naming the file.
  static std::shared_ptr<const FileBytes> open(const std::filesystem::path& path);

  /// Fills `out`. Errors  InvalidData when the file ends early or cannot be read.
  void read(uint64_t offset, void* out, size_t bytes) const;
  [[nodiscard]] uint64_t size() const { return size_; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  int descriptor_;
  uint64_t size_ = 0;
  std::string name_;
};

/// A NumPy array on disk, of which only the rows asked for are read. Header versions 1, 2 and 3; little-endian f2 f4 f8
/// i1 i2 i4 i8 u1 u2 u4 u8 b1; C and Fortran order. All reads may come from many threads.
///
/// Cost    C order: one read of the rows' bytes. Fortran order: the samples are interleaved in the file, so every call
///         passes over the whole file in blocks of 1 MiB; memory stays at the rows' size.
/// Source  NEP 1 and numpy.lib.format.
class NpyFile {
 public:
  /// Opens a .npy and checks header and length. Errors  InvalidData naming the file and what is wrong.
  explicit NpyFile(const std::filesystem::path& path);
  /// The array stored in `length` bytes at `offset`, as found inside an archive. `name` is used in messages.
  NpyFile(std::shared_ptr<const FileBytes> bytes, uint64_t offset, uint64_t length, std::string name);

  [[nodiscard]] DataType type() const { return type_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] bool fortran_order() const { return fortran_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  /// The whole array in row-major order.
  [[nodiscard]] Tensor read() const;
  /// Rows [first, last) of axis 0 in row-major order; rank stays. Errors  Internal for a scalar or rows outside.
  [[nodiscard]] Tensor read_rows(int64_t first, int64_t last) const;

 private:
  void parse_header(uint64_t length);
  void gather_fortran_row(int64_t row, std::byte* out) const;

  std::shared_ptr<const FileBytes> bytes_;
  uint64_t begin_ = 0;  // of the header, later of the elements
  std::string name_;
  DataType type_ = DataType::Undefined;
  Shape shape_;
  bool fortran_ = false;
};

/// Writes samples one after another into a .npy, stacked on axis 0; memory does not grow with their number. The file
/// appears under its name at close() and not before: a temporary file beside it is renamed.
///
/// Types   as in the tensor, float16 as '<f2', bool as '|b1'; bfloat16 has no NumPy name and is widened to '<f4' (exact);
///         int4 and uint4 become '|i1' and '|u1'.
/// Empty   close() without a sample writes a float32 array of shape (0,), for no sample told a type.
/// Errors  CannotWrite naming the file.
class NpyWriter {
 public:
  explicit NpyWriter(std::filesystem::path path);
  /// Without close() nothing is left.
  ~NpyWriter();
  NpyWriter(const NpyWriter&) = delete;
  NpyWriter& operator=(const NpyWriter&) = delete;

  /// True when `rows` has the type and the extents after axis 0 of what was appended before, or nothing was.
  [[nodiscard]] bool fits(const Tensor& rows) const;
  /// Appends the rows of axis 0; a scalar is one row without extents. Errors  Internal unless fits(rows).
  void append(const Tensor& rows);
  /// Fixes the header, flushes to disk and renames.
  void close();

  [[nodiscard]] int64_t rows() const { return rows_; }
  /// Row i of what was appended so far, with axis 0 of extent 1 (scalars: without). For writers that must start over.
  [[nodiscard]] Tensor read_back(int64_t row) const;

 private:
  void write_at(uint64_t offset, const void* data, size_t bytes);
  void publish();
  friend void write_npy(const std::filesystem::path& path, const Tensor& tensor);
  [[nodiscard]] std::string header() const;

  std::filesystem::path path_, temporary_;
  int descriptor_ = -1;
  DataType type_ = DataType::Undefined;
  Shape row_shape_;
  bool scalars_ = false;
  int64_t rows_ = 0;
  uint64_t end_ = 0;
};

/// Writes one tensor as it is (any rank), whole or not at all. Types and errors as NpyWriter.
void write_npy(const std::filesystem::path& path, const Tensor& tensor);

}  // namespace detent
