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

constexpr OperatorDef kSoftmaxDefinitions[] = {
    {"Softmax", "input -> output; axis:int", kSoftmax, with_half<make_softmax<SoftmaxFunction::Softmax>>, 1,
     LayoutNeed::Any},
    {"LogSoftmax", "input -> output; axis:int", kLogSoftmax, with_half<make_softmax<SoftmaxFunction::LogSoftmax>>, 1,
     LayoutNeed::Any},
};

}  // namespace

std::span<const OperatorDef> softmax_operators() { return kSoftmaxDefinitions; }

}  // namespace detent
