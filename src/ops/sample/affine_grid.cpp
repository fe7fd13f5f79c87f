#include <algorithm>

#include "core/index.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/half_precision.h"

namespace detent {

namespace {

/// Coordinate of sample i of n in [-1, 1]: the ends are the centres of the outer pixels, or their outer edges.
double coordinate(int64_t i, int64_t n, bool align_corners) {
  const auto at = static_cast<double>(i), count = static_cast<double>(n);
  if (!align_corners) return (2 * at + 1) / count - 1;
  return n > 1 ? 2 * at / (count - 1) - 1 : 0;
}

/// grid[n][d][h][w] = theta[n] * (x, y, z, 1); with two axes without d and z.
void run_grid(KernelCall& call, bool align_corners) {
  const Tensor& theta = call.input(0);
  const Shape& shape = theta.shape();
  const std::vector<int64_t> size = integers_of(call.input(1));
  const auto axes = std::ssize(size) - 2;
  if ((axes != 2 && axes != 3) || shape != Shape{size[0], axes, axes + 1})
    throw Error(ErrorCode::InvalidData, "theta of shape " + shape.to_string() + " does not fit a size of " +
                                            std::to_string(size.size()) + " numbers");
  Shape to{size[0]};
  for (size_t i = 2; i < size.size(); ++i) to.push_back(size[i]);
  to.push_back(axes);
  Tensor output(theta.type(), to, call.allocator());
  const int64_t points = to.element_count(1, to.rank() - 1);
  visit_float(theta.type(), [&]<class T>(T) {
    T* out = output.mutable_data<T>().data();
    for (int64_t i = 0; i < to[0] * points; ++i) {
      const T* matrix = theta.data<T>().data() + i / points * axes * (axes + 1);
      for (int64_t row = 0; row < axes; ++row, matrix += axes + 1) {
        auto value = static_cast<double>(matrix[axes]);
        for (int64_t k = 0; k < axes; ++k) {  // x runs along the last spatial axis
          const auto axis = as_index(axes - k);
          const int64_t at = i / to.element_count(axis + 1, to.rank() - 1) % to[axis];
          value += static_cast<double>(matrix[k]) * coordinate(at, to[axis], align_corners);
        }
        *out++ = static_cast<T>(value);
      }
    }
  });
  call.set_output(0, std::move(output));
}

std::unique_ptr<Kernel> make_grid(const KernelContext& context) {
  return kernel_of([align = context.node.int_or("align_corners", 0) != 0](KernelCall& call) { run_grid(call, align); });
}

constexpr OperatorDef kAffineGridDefinitions[] = {
    {"AffineGrid", "theta size -> grid; align_corners:int", {.data_inputs = 1}, with_half<make_grid>, 20},
};

}  // namespace

std::span<const OperatorDef> affine_grid_operators() { return kAffineGridDefinitions; }

}  // namespace detent
