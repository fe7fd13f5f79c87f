#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/files/atomic_file.h"
#include "detent/base/tensor.h"

namespace detent {

/// Writer of samples into a .npy, stacked on axis 0; memory does not grow with their number. The file appears under its
/// name at close(); without close() nothing is left.
///
/// Types   as in the tensor, float16 as '<f2', bool as '|b1'; bfloat16 has no NumPy name and is widened to '<f4'
/// (exact); int4 and uint4 become '|i1' and '|u1'.
/// Empty   close() without a sample writes a float32 array of shape (0,).
/// Errors  CannotWrite naming the file.
class NpyWriter {
 public:
  /// Without `overwrite`, close() fails when the file exists.
  explicit NpyWriter(std::filesystem::path path, bool overwrite = true);
  /// True when `rows` has the type and the extents after axis 0 of the rows appended so far, or none were.
  [[nodiscard]] bool fits(const Tensor& rows) const;
  /// Appends the rows of axis 0; a scalar is one row without extents.
  /// Errors  Internal unless fits(rows).
  void append(const Tensor& rows);
  /// Fixes the header, flushes to disk and renames.
  void close();

  [[nodiscard]] int64_t rows() const { return rows_; }
  /// Returns row i of the rows appended so far, with axis 0 of extent 1 (scalars: without). For writers that must start
  /// over.
  [[nodiscard]] Tensor read_back(int64_t row) const;

 private:
  [[nodiscard]] std::string header() const;

  std::filesystem::path path_;
  AtomicFile file_;
  bool closed_ = false;
  DataType type_ = DataType::Undefined;
  Shape row_shape_;
  bool scalars_ = false;
  int64_t rows_ = 0;
  uint64_t end_ = 0;
};

/// Writes one tensor of any rank, whole or not at all. Types and errors as NpyWriter.
void write_npy(const std::filesystem::path& path, const Tensor& tensor);

}  // namespace detent
