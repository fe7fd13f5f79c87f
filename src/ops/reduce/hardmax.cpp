#include <algorithm>

#include "core/index.h"
#include "ops/kernel_function.h"
#include "ops/memory/memory_order.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/half_precision.h"

namespace detent {

namespace {

/// 1 at the first largest element of every line, 0 elsewhere.
template <class T>
void mark_largest(const T* in, T* out, const AxisView& view) {
  std::fill_n(out, view.outer * view.extent * view.inner, T{0});
  if (view.extent == 0) return;
  for (int64_t o = 0; o < view.outer; ++o)
    for (int64_t i = 0; i < view.inner; ++i) {
      const int64_t line = o * view.extent * view.inner + i;
      int64_t best = 0;
      for (int64_t k = 1; k < view.extent; ++k)
        if (in[line + k * view.inner] > in[line + best * view.inner]) best = k;
      out[line + best * view.inner] = T{1};
    }
}

/// Before opset 13 the axes from `axis` on are one; since then only `axis` itself counts.
std::unique_ptr<Kernel> make_hardmax(const KernelContext& context) {
  const bool flattens = context.opset < 13;
  return kernel_of([flattens, axis_attribute = context.node.int_or("axis", flattens ? 1 : -1)](KernelCall& call) {
    const Tensor& input = call.input(0);
    const Shape shape = input.shape().rank() == 0 ? Shape{1} : input.shape();
    const size_t rank = shape.rank();
    const bool all = flattens && axis_attribute == as_extent(rank);  // then every element is a line
    const size_t axis = all ? rank - 1 : axis_from_front(axis_attribute, rank);
    AxisView view = view_around(shape, Layout::Plain, axis);
    if (flattens) view = {shape.element_count(0, axis), shape.element_count(axis, rank), 1};
    if (all) view = {shape.element_count(), 1, 1};
    visit_number(input.type(), [&]<class T>(T) {
      Tensor output(input.type(), input.shape(), call.allocator());
      mark_largest(input.data<T>().data(), output.mutable_data<T>().data(), view);
      call.set_output(0, std::move(output));
    });
  });
}

constexpr OperatorDef kHardmaxDefinitions[] = {
    {"Hardmax", "input -> output; axis:int", {.kind = OpKind::OtherActivation}, with_half<make_hardmax>},
};

}  // namespace

std::span<const OperatorDef> hardmax_operators() { return kHardmaxDefinitions; }

}  // namespace detent
