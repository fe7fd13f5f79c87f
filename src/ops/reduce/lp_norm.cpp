#include <cmath>

#include "ops/kernel_function.h"
#include "ops/memory/memory_order.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/half_precision.h"

namespace detent {

namespace {

/// Every line divided by its 1- or 2-norm; a line of zeros stays.
template <class T>
void normalize_lp(const T* in, T* out, const AxisView& view, bool squares) {
  for (int64_t o = 0; o < view.outer; ++o)
    for (int64_t i = 0; i < view.inner; ++i) {
      const int64_t line = o * view.extent * view.inner + i;
      double norm = 0;
      for (int64_t k = 0; k < view.extent; ++k) {
        const auto x = static_cast<double>(in[line + k * view.inner]);
        norm += squares ? x * x : std::abs(x);
      }
      if (squares) norm = std::sqrt(norm);
      for (int64_t k = line; k < line + view.extent * view.inner; k += view.inner)
        out[k] = norm == 0 ? T{0} : static_cast<T>(static_cast<double>(in[k]) / norm);
    }
}

std::unique_ptr<Kernel> make_lp_norm(const KernelContext& context) {
  const int64_t p = context.node.int_or("p", 2);
  if (p != 1 && p != 2)
    throw Error(ErrorCode::InvalidModel, "attribute p is " + std::to_string(p) + ", expected 1 or 2");
  return kernel_of([p, axis_attribute = context.node.int_or("axis", -1)](KernelCall& call) {
    const Tensor& input = call.input(0);
    const size_t axis = axis_from_front(axis_attribute, input.shape().rank());
    const AxisView view = view_around(input.shape(), Layout::Plain, axis);
    Tensor output(input.type(), input.shape(), call.allocator());
    visit_float(input.type(), [&]<class T>(T) {
      normalize_lp(input.data<T>().data(), output.mutable_data<T>().data(), view, p == 2);
    });
    call.set_output(0, std::move(output));
  });
}

constexpr OperatorDef kLpNormDefinitions[] = {
    {"LpNormalization", "input -> output; axis:int p:int", {.kind = OpKind::OtherNorm}, with_half<make_lp_norm>},
};

}  // namespace

std::span<const OperatorDef> lp_norm_operators() { return kLpNormDefinitions; }

}  // namespace detent
