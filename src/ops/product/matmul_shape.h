#pragma once

#include "detent/base/tensor.h"

namespace detent {

/// numpy's matmul as a batch of plain matrix products.
struct MatMulShape {
  int64_t rows = 0, inner = 0, columns = 0;
  Shape batch;   ///< broadcast extents in front of the matrices
  Shape output;  ///< batch, rows, columns, without the axes that 1-D operands do not have

  /// Errors  InvalidData when the shapes do not fit or one is a scalar.
  MatMulShape(const Shape& a, const Shape& b);
  /// Returns the matrix that batch entry `index` reads from an operand of shape `shape`.
  [[nodiscard]] int64_t matrix_of(int64_t index, const Shape& shape) const;
};

}  // namespace detent
