#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include "detent/base/error.h"

namespace detent {

/// Returns sums and products of extents, element counts and byte sizes from a model or its data. A shape with a 0 may
/// hold any other extent, so it passes every memory limit.
/// Errors  InvalidData "WHAT, 4611686018427387904 + 4611686018427387904, is beyond 64 bits".

template <class Size>
requires(sizeof(Size) == 8 && std::integral<Size>) [[nodiscard]] constexpr Size
    checked_sum(Size a, Size b, std::string_view what) {
  Size sum{};
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  throw Error(ErrorCode::InvalidData,
              std::string(what) + ", " + std::to_string(a) + " + " + std::to_string(b) + ", is beyond 64 bits");
}

template <class Size>
requires(sizeof(Size) == 8 && std::integral<Size>) [[nodiscard]] constexpr Size
    checked_product(Size a, Size b, std::string_view what) {
  Size product{};
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  throw Error(ErrorCode::InvalidData,
              std::string(what) + ", " + std::to_string(a) + " * " + std::to_string(b) + ", is beyond 64 bits");
}

}  // namespace detent
