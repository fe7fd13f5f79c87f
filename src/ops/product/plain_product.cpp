#include "ops/product/plain_product.h"

#include <algorithm>
#include <string>

#include "core/stop.h"
#include "ops/elementwise/binary.h"
#include "ops/operands.h"
#include "ops/product/matmul_shape.h"

namespace detent {

namespace {

/// A matrix read through strides.
template <class T>
struct Matrix {
  const T* data;
  int64_t row_stride, column_stride;
};

/// Integers go through uint64, where overflow is defined and the low bits are the same.
template <class T>
void multiply(const Matrix<T>& a, const Matrix<T>& b, T* out, int64_t rows, int64_t inner, int64_t columns) {
  using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) {
      stop_if_interrupted();
      Wide sum{0};
      for (int64_t k = 0; k < inner; ++k)
        sum += static_cast<Wide>(a.data[r * a.row_stride + k * a.column_stride]) *
               static_cast<Wide>(b.data[k * b.row_stride + c * b.column_stride]);
      out[r * columns + c] = static_cast<T>(sum);
    }
}

Tensor factor(float value, DataType type) { return cast(Tensor::scalar(value), type); }

}  // namespace

Tensor plain_matmul(const Tensor& a, const Tensor& b, Allocator& allocator) {
  check_same_type(a, b);
  const MatMulShape shape(a.shape(), b.shape());
  Tensor output(a.type(), shape.output, allocator);
  visit_number(a.type(), [&]<class T>(T) {
    T* out = output.mutable_data<T>().data();
    for (int64_t i = 0; i < shape.batch.element_count(); ++i, out += shape.rows * shape.columns) {
      const T* left = a.data<T>().data() + shape.matrix_of(i, a.shape()) * shape.rows * shape.inner;
      const T* right = b.data<T>().data() + shape.matrix_of(i, b.shape()) * shape.inner * shape.columns;
      multiply<T>({left, shape.inner, 1}, {right, shape.columns, 1}, out, shape.rows, shape.inner, shape.columns);
    }
  });
  return output;
}

Tensor plain_gemm(const Tensor& a, const Tensor& b, const Tensor& bias, const GemmOptions& options,
                  Allocator& allocator) {
  check_same_type(a, b);
  const int64_t rows = a.shape()[options.transpose_a ? 1 : 0], inner = a.shape()[options.transpose_a ? 0 : 1];
  const int64_t columns = b.shape()[options.transpose_b ? 0 : 1];
  Tensor output(a.type(), Shape{rows, columns}, allocator);
  visit_number(a.type(), [&]<class T>(T) {
    const Matrix<T> left{a.data<T>().data(), options.transpose_a ? 1 : inner, options.transpose_a ? rows : 1};
    const Matrix<T> right{b.data<T>().data(), options.transpose_b ? 1 : columns, options.transpose_b ? inner : 1};
    multiply<T>(left, right, output.mutable_data<T>().data(), rows, inner, columns);
  });
  if (options.alpha != 1.0F) output = combine(BinaryFunction::Mul, output, factor(options.alpha, a.type()), allocator);
  if (bias.empty_handle()) return output;
  Tensor addend = bias;
  if (options.beta != 1.0F) addend = combine(BinaryFunction::Mul, bias, factor(options.beta, a.type()), allocator);
  output = combine(BinaryFunction::Add, output, addend, allocator);
  if (output.shape() != Shape{rows, columns})
    throw Error(ErrorCode::InvalidData, "Gemm's bias of shape " + bias.shape().to_string() + " does not fit " +
                                            Shape{rows, columns}.to_string());
  return output;
}

}  // namespace detent
