#include "ops/kernel_function.h"
#include "ops/memory/memory_order.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/half_precision.h"

namespace detent {

namespace {

enum class Running : uint8_t { Sum, Product };

struct CumulativeOptions {
  bool exclusive, reverse;
};

/// Integers wrap around through uint64.
template <Running running, class T>
T accumulated(T total, T x) {
  using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
  const auto a = static_cast<Wide>(total), b = static_cast<Wide>(x);
  return static_cast<T>(running == Running::Product ? a * b : a + b);
}

template <Running running, class T>
void accumulate_line(const T* in, T* out, const AxisView& view, const CumulativeOptions& options) {
  T total{running == Running::Product ? 1 : 0};
  for (int64_t i = 0; i < view.extent; ++i) {
    const int64_t at = (options.reverse ? view.extent - 1 - i : i) * view.inner;
    const T x = in[at];
    if (options.exclusive) out[at] = total;
    total = accumulated<running>(total, x);
    if (!options.exclusive) out[at] = total;
  }
}

template <Running running>
std::unique_ptr<Kernel> make_cumulative(const KernelContext& context) {
  const CumulativeOptions options{.exclusive = context.node.int_or("exclusive", 0) != 0,
                                  .reverse = context.node.int_or("reverse", 0) != 0};
  return kernel_of([options](KernelCall& call) {
    const std::vector<int64_t> axis = integers_of(call.input(1));
    if (axis.size() != 1) throw Error(ErrorCode::InvalidModel, "the axis must be one number");
    const Shape shape = call.input(0).shape();
    const AxisView view = view_around(shape, Layout::Plain, axis_from_front(axis[0], shape.rank()));
    visit_number(call.input(0).type(), [&]<class T>(T) {
      const T* in = call.input(0).data<T>().data();
      T* out = call.make_output(0, call.input(0).type(), shape).template mutable_data<T>().data();
      for (int64_t o = 0; o < view.outer; ++o)
        for (int64_t i = 0; i < view.inner; ++i) {
          const int64_t at = o * view.extent * view.inner + i;
          accumulate_line<running>(in + at, out + at, view, options);
        }
    });
  });
}

constexpr OperatorDef kCumulativeDefinitions[] = {
    {.op_type = "CumSum",
     .signature = "x axis -> y; exclusive:int reverse:int",
     .traits = {.data_inputs = 1},
     .make = with_half<make_cumulative<Running::Sum>>,
     .first_opset = 11},
    {.op_type = "CumProd",
     .signature = "x axis -> y; exclusive:int reverse:int",
     .traits = {.data_inputs = 1},
     .make = with_half<make_cumulative<Running::Product>>,
     .first_opset = 26},
};

}  // namespace

std::span<const OperatorDef> cumulative_operators() { return kCumulativeDefinitions; }

}  // namespace detent
