#pragma once

#include "detent/tensor.h"

namespace detent {

/// True for the float types that are computed with; those of one byte or less are not (is_small_float).
[[nodiscard]] constexpr bool is_floating_point(DataType type) {
  return type == DataType::Float32 || type == DataType::Float64 || type == DataType::Float16 ||
         type == DataType::BFloat16;
}

/// The float types of 16 bits.
[[nodiscard]] constexpr bool is_half(DataType type) { return type == DataType::Float16 || type == DataType::BFloat16; }

}  // namespace detent
