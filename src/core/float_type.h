#pragma once

#include "detent/base/tensor.h"

namespace detent {

/// True for the float types that kernels compute with; those of one byte or less are excluded (is_small_float).
[[nodiscard]] constexpr bool is_floating_point(DataType type) {
  return type == DataType::Float32 || type == DataType::Float64 || type == DataType::Float16 ||
         type == DataType::BFloat16;
}

/// True for the float types of 16 bits.
[[nodiscard]] constexpr bool is_half(DataType type) { return type == DataType::Float16 || type == DataType::BFloat16; }

/// True when one pair can join values of the two types with one scale: float types that INT8 can stand for, except FP16
/// with BF16, whose numbers differ.
[[nodiscard]] constexpr bool share_scales(DataType a, DataType b) {
  const bool floats = (a == DataType::Float32 || is_half(a)) && (b == DataType::Float32 || is_half(b));
  return floats && (a == b || a == DataType::Float32 || b == DataType::Float32);
}

}  // namespace detent
