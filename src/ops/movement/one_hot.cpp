#include <algorithm>

#include "ops/kernel_function.h"
#include "ops/memory/memory_order.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

namespace {

/// The position on the new axis of extent `depth` that takes the value "on"; -1 for an index outside [-depth, depth).
int64_t hot_position(int64_t index, int64_t depth) {
  if (index < -depth || index >= depth) return -1;
  return index < 0 ? index + depth : index;
}

std::unique_ptr<Kernel> make_one_hot(const KernelContext& context) {
  return kernel_of([axis_attribute = context.node.int_or("axis", -1)](KernelCall& call) {
    const Tensor indices = cast(call.input(0), DataType::Int64, call.allocator());
    const Tensor depths = cast(call.input(1), DataType::Int64, call.allocator());
    const Tensor& values = call.input(2);
    if (depths.element_count() != 1 || values.element_count() != 2)
      throw Error(ErrorCode::InvalidModel, "one depth and the two values off and on were expected");
    const int64_t depth = std::max<int64_t>(0, depths.data<int64_t>()[0]);
    const size_t axis = axis_from_front(axis_attribute, indices.shape().rank() + 1);
    Shape to;
    for (size_t i = 0; i <= indices.shape().rank(); ++i)
      to.push_back(i == axis ? depth : indices.shape()[i < axis ? i : i - 1]);
    Tensor& output = call.make_output(0, values.type(), to);
    const AxisView view = view_around(to, Layout::Plain, axis);
    const int64_t* index = indices.data<int64_t>().data();
    visit_size(byte_size(values.type()), [&]<class T>(T) {
      const T* off_on = static_cast<const T*>(values.raw());
      T* out = static_cast<T*>(output.mutable_raw());
      std::fill_n(out, output.element_count(), off_on[0]);
      if (depth == 0) return;
      for (int64_t o = 0; o < view.outer; ++o)
        for (int64_t i = 0; i < view.inner; ++i) {
          const int64_t hot = hot_position(index[o * view.inner + i], depth);
          if (hot >= 0) out[(o * depth + hot) * view.inner + i] = off_on[1];
        }
    });
  });
}

constexpr OperatorDef kOneHotDefinitions[] = {
    {"OneHot", "indices depth values -> output; axis:int", {.data_inputs = 0}, make_one_hot, 9},
};

}  // namespace

std::span<const OperatorDef> one_hot_operators() { return kOneHotDefinitions; }

}  // namespace detent
