#include <algorithm>

#include "core/index.h"
#include "ops/kernel_function.h"
#include "ops/memory/memory_order.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/simd/reduce.h"
#include "ops/types/half_precision.h"

namespace detent {

namespace {

void run_on(KernelCall& call, const Tensor& input, SoftmaxFunction function, const AxisView& view) {
  Tensor& output = &input == &call.input(0) ? call.make_output_like(0, 0)
                                            : call.make_output(0, DataType::Float32, input.shape(), input.layout());
  softmax_run(function, input.data<float>().data(), output.mutable_data<float>().data(), view.outer, view.extent,
              view.inner);
}

/// float only; double is computed in float and cast back.
void run_softmax(KernelCall& call, SoftmaxFunction function, int64_t axis_attribute, bool flattens) {
  const Tensor& given = call.input(0);
  const size_t axis = axis_from_front(axis_attribute, std::max<size_t>(given.shape().rank(), 1));
  if (given.type() != DataType::Float32 || (flattens && given.layout() != Layout::Plain)) {
    const Tensor input =
        cast(flattens ? to_plain(given, call.allocator()) : given, DataType::Float32, call.allocator());
    Tensor inputs[] = {input};
    Tensor result;
    KernelCall inner(inputs, std::span(&result, 1), {}, call.allocator(), call.workspace());
    run_softmax(inner, function, axis_attribute, flattens);
    return call.set_output(0,
                           given.type() == DataType::Float32 ? result : cast(result, given.type(), call.allocator()));
  }
  const Shape& shape = given.shape();
  if (flattens || shape.rank() == 0)
    return run_on(call, given, function,
                  {shape.element_count(0, std::min(axis, shape.rank())),
                   shape.element_count(std::min(axis, shape.rank()), shape.rank()), 1});
  run_on(call, given, function, view_around(shape, given.layout(), axis));
}

/// Before opset 13 the axes from `axis` on are one; since then only `axis` itself counts.
template <SoftmaxFunction function>
std::unique_ptr<Kernel> make_softmax(const KernelContext& context) {
  const bool flattens = context.opset < 13;
  return kernel_of([flattens, axis = context.node.int_or("axis", flattens ? 1 : -1)](KernelCall& call) {
    run_softmax(call, function, axis, flattens);
  });
}

constexpr OpTraits kSoftmax{.kind = OpKind::Softmax};
constexpr OpTraits kLogSoftmax{.kind = OpKind::LogSoftmax};

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

constexpr OperatorDef kSoftmaxDefinitions[] = {
    {"Softmax", "input -> output; axis:int", kSoftmax, with_half<make_softmax<SoftmaxFunction::Softmax>>, 1,
     LayoutNeed::Any},
    {"LogSoftmax", "input -> output; axis:int", kLogSoftmax, with_half<make_softmax<SoftmaxFunction::LogSoftmax>>, 1,
     LayoutNeed::Any},
    {"Hardmax", "input -> output; axis:int", {.kind = OpKind::OtherActivation}, with_half<make_hardmax>},
};

}  // namespace

std::span<const OperatorDef> softmax_operators() { return kSoftmaxDefinitions; }

}  // namespace detent
