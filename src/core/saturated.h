#pragma once

#include <concepts>
#include <limits>

namespace detent {

/// Returns `x`, cut to a whole number, as type I: NaN becomes 0, and a number beyond I its least or greatest number.
/// (C++ leaves such a conversion undefined: [conv.fpint].)
template <std::integral I, std::floating_point F>
[[nodiscard]] constexpr I saturated(F x) {
  // Powers of two are exact: I holds all of [low, high) and no number beyond.
  constexpr F high = static_cast<F>(I{1} << (std::numeric_limits<I>::digits - 1)) * 2;
  constexpr F low = std::numeric_limits<I>::min();
  if (x != x) return 0;
  if (x >= high) return std::numeric_limits<I>::max();
  return x <= low ? std::numeric_limits<I>::min() : static_cast<I>(x);
}

}  // namespace detent
