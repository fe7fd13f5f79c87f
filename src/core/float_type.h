#pragma once

#include "detent/base/tensor.h"

namespace detent {

/// True for the float types that are computed with; those of one byte or less are not (is_small_float).
[[nodiscard]] constexpr bool is_floating_point(DataType type) {
  return type == DataType::Float32 || type == DataType::Float64 || type == DataType::Float16 ||
         type == DataType::BFloat16;
}

/// The float types of 16 bits.
[[nodiscard]] constexpr bool is_half(DataType type) { return type == DataType::Float16 || type == DataType::BFloat16; }

/// True for two types of values between which a pair can begin and end with one scale: floats that INT8 stands for, and
/// not FP16 beside BF16, whose numbers differ.
[[nodiscard]] constexpr bool share_scales(DataType a, DataType b) {
  const bool floats = (a == DataType::Float32 || is_half(a)) && (b == DataType::Float32 || is_half(b));
  return floats && (a == b || a == DataType::Float32 || b == DataType::Float32);
}

}  // namespace detent
