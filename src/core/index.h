#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace detent {

/// An extent, count or position, which is not negative, as the standard library counts.
template <std::integral Number>
[[nodiscard]] constexpr size_t as_index(Number number) {
  return static_cast<size_t>(number);
}

/// A size or position of the standard library as tensors count, and as its iterators move.
template <std::integral Number>
[[nodiscard]] constexpr int64_t as_extent(Number number) {
  return static_cast<int64_t>(number);
}

}  // namespace detent
