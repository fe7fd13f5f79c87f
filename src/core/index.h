#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace detent {

/// Converts an extent, count or position, which is not negative, to the standard library's type.
template <std::integral Number>
[[nodiscard]] constexpr size_t as_index(Number number) {
  return static_cast<size_t>(number);
}

/// Converts a size or position of the standard library to the type of extents and iterator differences.
template <std::integral Number>
[[nodiscard]] constexpr int64_t as_extent(Number number) {
  return static_cast<int64_t>(number);
}

}  // namespace detent
