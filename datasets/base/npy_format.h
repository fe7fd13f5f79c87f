#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "detent/base/tensor.h"

namespace detent {

/// The content of a .npy header: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
struct NpyHeader {
  DataType type = DataType::Undefined;
  bool fortran_order = false;
  Shape shape;
};

/// Parses the dictionary of a header.
/// Errors  InvalidData saying what is not supported, without a file name.
[[nodiscard]] NpyHeader parse_npy_header(std::string_view text);

/// Returns the bytes of a version 1 file up to its elements. `width` >= the natural length pads to it, 0 pads to 64
/// bytes.
[[nodiscard]] std::string format_npy_header(DataType type, const Shape& shape, size_t width = 0);

/// Returns the type of a tensor of `type` in a .npy: bfloat16 -> float32, int4 -> int8, uint4 -> uint8, others
/// unchanged.
[[nodiscard]] DataType npy_storage_type(DataType type);

}  // namespace detent
