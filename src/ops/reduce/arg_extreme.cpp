#include <cmath>

#include "ops/kernel_function.h"
#include "ops/memory/memory_order.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/half_precision.h"

namespace detent {

namespace {

enum class Extreme : uint8_t { Largest, Smallest };

struct ArgExtremeOptions {
  int64_t axis;
  Extreme extreme;
  bool keep, last;
};

/// True when `x` is more extreme than `y`: NaN is more than any number, as in numpy.argmax and ONNX Runtime.
template <class T>
bool beats(T x, T y, Extreme extreme) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && !std::isnan(y);
  return extreme == Extreme::Largest ? x > y : x < y;
}

/// The position of the extreme along one line; of equal ones the first, or the last.
template <class T>
int64_t index_of_extreme(const T* line, int64_t extent, int64_t stride, const ArgExtremeOptions& options) {
  int64_t best = 0;
  for (int64_t i = 1; i < extent; ++i) {
    const T x = line[i * stride], y = line[best * stride];
    if (beats(x, y, options.extreme) || (options.last && !beats(y, x, options.extreme))) best = i;
  }
  return best;
}

void run_arg(KernelCall& call, const ArgExtremeOptions& options) {
  const Tensor& input = call.input(0);
  const Shape& shape = input.shape();
  const size_t axis = axis_from_front(options.axis, shape.rank());
  Shape to;
  for (size_t i = 0; i < shape.rank(); ++i)
    if (i != axis || options.keep) to.push_back(i == axis ? 1 : shape[i]);
  const AxisView view = view_around(shape, Layout::Plain, axis);
  if (view.extent == 0 && to.element_count() > 0)
    throw Error(ErrorCode::InvalidData, "an axis of 0 elements has no largest or smallest one");
  int64_t* out = call.make_output(0, DataType::Int64, to).mutable_data<int64_t>().data();
  visit_number(input.type(), [&]<class T>(T) {
    const T* in = input.data<T>().data();
    for (int64_t o = 0; o < view.outer; ++o)
      for (int64_t i = 0; i < view.inner; ++i)
        *out++ = index_of_extreme(in + o * view.extent * view.inner + i, view.extent, view.inner, options);
  });
}

template <Extreme extreme>
std::unique_ptr<Kernel> make_arg(const KernelContext& context) {
  const ArgExtremeOptions options{.axis = context.node.int_or("axis", 0),
                                  .extreme = extreme,
                                  .keep = context.node.int_or("keepdims", 1) != 0,
                                  .last = context.node.int_or("select_last_index", 0) != 0};
  return kernel_of([options](KernelCall& call) { run_arg(call, options); });
}

constexpr OperatorDef kArgExtremeDefinitions[] = {
    {.op_type = "ArgMax",
     .signature =
         "data -> reduced; axis:int keepdims:int | 12: data -> reduced; axis:int keepdims:int select_last_index:int",
     .traits = {.data_inputs = 1},
     .make = with_half<make_arg<Extreme::Largest>>},
    {.op_type = "ArgMin",
     .signature =
         "data -> reduced; axis:int keepdims:int | 12: data -> reduced; axis:int keepdims:int select_last_index:int",
     .traits = {.data_inputs = 1},
     .make = with_half<make_arg<Extreme::Smallest>>},
};

}  // namespace

std::span<const OperatorDef> arg_extreme_operators() { return kArgExtremeDefinitions; }

}  // namespace detent
