#include <algorithm>

#include "core/index.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

namespace {

/// Indices of the elements that are not 0, one column each; a scalar has no axes, so its columns have no rows.
void run_non_zero(KernelCall& call) {
  const Tensor marks = cast(call.input(0), DataType::Bool, call.allocator());
  const Shape& shape = marks.shape();
  const auto marked = marks.data<bool>();
  const int64_t count = std::ranges::count(marked, true);
  Tensor& output = call.make_output(0, DataType::Int64, Shape{as_extent(shape.rank()), count});
  int64_t* out = output.mutable_data<int64_t>().data();
  int64_t column = 0;
  for (int64_t i = 0; i < shape.element_count(); ++i) {
    if (!marked[as_index(i)]) continue;
    for (size_t axis = 0; axis < shape.rank(); ++axis)
      out[as_extent(axis) * count + column] = i / shape.element_count(axis + 1, shape.rank()) % shape[axis];
    ++column;
  }
}

std::unique_ptr<Kernel> make_non_zero(const KernelContext&) { return kernel_of(run_non_zero); }

constexpr OperatorDef kNonZeroDefinitions[] = {
    {"NonZero", "X -> Y", {.data_inputs = 0}, make_non_zero, 9},
};

}  // namespace

std::span<const OperatorDef> non_zero_operators() { return kNonZeroDefinitions; }

}  // namespace detent
