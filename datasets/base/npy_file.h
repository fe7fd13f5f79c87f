#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "core/files/file_bytes.h"
#include "detent/base/tensor.h"

namespace detent {

/// A NumPy array on disk, of which only the requested rows are read. Header versions 1, 2 and 3; little-endian f2 f4 f8
/// i1 i2 i4 i8 u1 u2 u4 u8 b1; C and Fortran order. Many threads may read at once.
///
/// Cost    C order: one read of the rows' bytes. Fortran order: the samples are interleaved in the file, so every row
/// takes a pass over the whole file in blocks of 1 MiB; memory stays at the rows' size. read() takes one pass, with the
/// array in memory twice.
/// Source  NEP 1 and numpy.lib.format.
class NpyFile {
 public:
  /// Opens a .npy and checks header and length.
  /// Errors  InvalidData naming the file and the problem; also for a file larger than --max-memory of which only the
  /// header was written, and for more than 2^20 rows without elements.
  explicit NpyFile(const std::filesystem::path& path);
  /// Opens the array stored in `length` bytes at `offset`, inside an archive. `name` is used in messages.
  NpyFile(std::shared_ptr<const FileBytes> bytes, uint64_t offset, uint64_t length, std::string name);

  [[nodiscard]] DataType type() const { return type_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] bool fortran_order() const { return fortran_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  /// Returns the whole array in row-major order.
  /// Errors  InvalidData beyond --max-memory, also of read_rows.
  [[nodiscard]] Tensor read() const;
  /// Returns rows [first, last) of axis 0 in row-major order; the rank stays.
  /// Errors  Internal for a scalar or rows outside.
  [[nodiscard]] Tensor read_rows(int64_t first, int64_t last) const;

 private:
  void parse_header(uint64_t length);
  [[nodiscard]] Tensor tensor_of(const Shape& shape) const;
  void gather_fortran_row(int64_t row, std::byte* out) const;

  std::shared_ptr<const FileBytes> bytes_;
  uint64_t begin_ = 0;  // of the header, later of the elements
  std::string name_;
  DataType type_ = DataType::Undefined;
  Shape shape_;
  bool fortran_ = false;
};

}  // namespace detent
