#pragma once

#include <cstdint>

namespace detent {

/// The operands of c[m x n] = a[m x k] * b[n x k]^T; rows of a and c lie `a_row` and `c_row` apart, those of b are
/// dense.
struct TransposedProduct {
  const float* a = nullptr;
  int64_t a_row = 0;
  const float* b = nullptr;
  float* c = nullptr;
  int64_t c_row = 0;
  int64_t m = 0, n = 0, k = 0;
  bool adds = false;  ///< to what c holds
};
/// Computes the product. For small products in loops; a kernel that does one large product makes a primitive.
void multiply_transposed(const TransposedProduct& product);

}  // namespace detent
