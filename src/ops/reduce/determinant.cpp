#include <cmath>

#include "core/index.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/float_types.h"

namespace detent {

namespace {

/// Computes a determinant by elimination with row pivots, in double.
double determinant(std::vector<double> matrix, size_t n) {
  double product = 1;
  for (size_t k = 0; k < n; ++k) {
    size_t pivot = k;
    for (size_t r = k + 1; r < n; ++r)
      if (std::abs(matrix[r * n + k]) > std::abs(matrix[pivot * n + k])) pivot = r;
    if (matrix[pivot * n + k] == 0) return 0;
    if (pivot != k) product = -product;
    for (size_t c = 0; pivot != k && c < n; ++c) std::swap(matrix[k * n + c], matrix[pivot * n + c]);
    product *= matrix[k * n + k];
    for (size_t r = k + 1; r < n; ++r) {
      const double factor = matrix[r * n + k] / matrix[k * n + k];
      for (size_t c = k; c < n; ++c) matrix[r * n + c] -= factor * matrix[k * n + c];
    }
  }
  return product;
}

void run_det(KernelCall& call) {
  const Tensor& input = call.input(0);
  const Shape& shape = input.shape();
  const size_t rank = shape.rank();
  if (rank < 2 || shape[rank - 1] != shape[rank - 2])
    throw Error(ErrorCode::InvalidData, "square matrices were expected, the input has shape " + shape.to_string());
  Tensor output(input.type(), Shape(shape.dims().first(rank - 2)), call.allocator());
  const int64_t size = shape[rank - 1] * shape[rank - 1];
  visit_float(input.type(), [&]<class T>(T) {
    const T* in = input.data<T>().data();
    for (T& out : output.mutable_data<T>()) {
      out = static_cast<T>(determinant(std::vector<double>(in, in + size), as_index(shape[rank - 1])));
      in += size;
    }
  });
  call.set_output(0, std::move(output));
}

}  // namespace

std::vector<OperatorDef> determinant_operators() {
  return {
      {"Det", {}, with_half<stateless<run_det>>, 11},
  };
}

}  // namespace detent
