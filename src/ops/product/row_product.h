#pragma once

#include <cstdint>
#include <type_traits>

#include "core/stop.h"
#include "ops/transposed_product.h"

namespace detent {

/// Computes c[m x n] = a[m x k] * b[n x k]^T, all dense: every row of a with every row of b. floats through
/// multiply_transposed(), other types in loops. Integers wrap around through uint64.
template <class T>
void multiply_rows(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k) {
  if constexpr (std::is_same_v<T, float>) {
    multiply_transposed({.a = a, .a_row = k, .b = b, .c = c, .c_row = n, .m = m, .n = n, .k = k});
  } else {
    using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
    for (int64_t row = 0; row < m; ++row)
      for (int64_t column = 0; column < n; ++column) {
        stop_if_interrupted();
        Wide total{};
        for (int64_t i = 0; i < k; ++i)
          total += static_cast<Wide>(a[row * k + i]) * static_cast<Wide>(b[column * k + i]);
        c[row * n + column] = static_cast<T>(total);
      }
  }
}

}  // namespace detent
