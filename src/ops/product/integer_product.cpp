#include "ops/product/integer_product.h"

#include <algorithm>

#include "ops/memory/memory_order.h"
#include "ops/operands.h"
#include "ops/product/matmul_shape.h"

namespace detent {

std::vector<int32_t> centred(const Tensor& tensor, const Tensor& zero_point, size_t axis) {
  const std::vector<int64_t> wide = integers_of(tensor);
  std::vector<int32_t> result(wide.begin(), wide.end());
  if (zero_point.empty_handle() || result.empty()) return result;
  const std::vector<int64_t> zeros = integers_of(zero_point);
  const Shape& shape = tensor.shape();
  const AxisView view = shape.rank() == 0 ? AxisView{} : view_around(shape, Layout::Plain, axis);
  // Batched matrices carry one zero point for each row or column of every matrix.
  const bool batched = zero_point.shape().rank() > 1 && zeros.size() != 1;
  const auto count = static_cast<int64_t>(zeros.size());
  if (count != 1 && count != view.extent && (!batched || count != view.outer * view.extent))
    throw Error(ErrorCode::InvalidModel, "zero points of shape " + zero_point.shape().to_string() +
                                             " do not fit axis " + std::to_string(axis) + " of " + shape.to_string());
  for (size_t i = 0; i < result.size(); ++i) {
    const int64_t line = static_cast<int64_t>(i) / view.inner;
    const int64_t at = count == 1 ? 0 : count == view.extent ? line % view.extent : line;
    // Through uint32: what is no 8- or 16-bit integer wraps around.
    result[i] =
        static_cast<int32_t>(static_cast<uint32_t>(result[i]) - static_cast<uint32_t>(zeros[static_cast<size_t>(at)]));
  }
  return result;
}

void multiply_integers(const int32_t* a, const int32_t* b, int32_t* out, int64_t rows, int64_t inner, int64_t columns) {
  std::fill_n(out, rows * columns, 0);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t k = 0; k < inner; ++k) {
      const auto factor = static_cast<uint32_t>(a[r * inner + k]);
      if (factor == 0) continue;
      const int32_t* row = b + k * columns;
      int32_t* sums = out + r * columns;
      for (int64_t c = 0; c < columns; ++c)
        sums[c] = static_cast<int32_t>(static_cast<uint32_t>(sums[c]) + factor * static_cast<uint32_t>(row[c]));
    }
}

Tensor integer_matmul(const std::vector<int32_t>& a, const Shape& a_shape, const std::vector<int32_t>& b,
                      const Shape& b_shape, Allocator& allocator) {
  const MatMulShape shape(a_shape, b_shape);
  Tensor output(DataType::Int32, shape.output, allocator);
  int32_t* out = output.mutable_data<int32_t>().data();
  for (int64_t i = 0; i < shape.batch.element_count(); ++i, out += shape.rows * shape.columns)
    multiply_integers(a.data() + shape.matrix_of(i, a_shape) * shape.rows * shape.inner,
                      b.data() + shape.matrix_of(i, b_shape) * shape.inner * shape.columns, out, shape.rows,
                      shape.inner, shape.columns);
  return output;
}

}  // namespace detent
