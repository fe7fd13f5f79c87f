#include "ops/product/matmul_shape.h"

#include <algorithm>
#include <string>

namespace detent {

MatMulShape::MatMulShape(const Shape& a, const Shape& b) {
  const auto misfit = [&] {
    return Error(ErrorCode::InvalidData, "cannot multiply " + a.to_string() + " by " + b.to_string());
  };
  if (a.rank() == 0 || b.rank() == 0) throw misfit();
  rows = a.rank() == 1 ? 1 : a[a.rank() - 2];
  inner = a[a.rank() - 1];
  columns = b.rank() == 1 ? 1 : b[b.rank() - 1];
  if (inner != b[b.rank() == 1 ? 0 : b.rank() - 2]) throw misfit();
  const size_t rank = std::max({a.rank(), b.rank(), size_t{2}});
  for (size_t i = 0; i + 2 < rank; ++i) {
    const int64_t x = i + a.rank() >= rank ? a[i + a.rank() - rank] : 1;
    const int64_t y = i + b.rank() >= rank ? b[i + b.rank() - rank] : 1;
    if (x != y && x != 1 && y != 1) throw misfit();
    batch.push_back(x == 1 ? y : x);
  }
  output = batch;
  if (a.rank() > 1) output.push_back(rows);
  if (b.rank() > 1) output.push_back(columns);
}

int64_t MatMulShape::matrix_of(int64_t index, const Shape& shape) const {
  int64_t matrix = 0;
  for (size_t i = 0; i < batch.rank(); ++i) {
    const size_t missing = batch.rank() + 2 - std::max<size_t>(shape.rank(), 2);
    if (i < missing) continue;
    const int64_t extent = shape[i - missing];
    const int64_t own = index / batch.element_count(i + 1, batch.rank()) % batch[i];
    matrix = matrix * extent + (extent == 1 ? 0 : own);
  }
  return matrix;
}

}  // namespace detent
