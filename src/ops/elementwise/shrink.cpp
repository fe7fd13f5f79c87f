#include "core/saturated.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/half_precision.h"

namespace detent {

namespace {

/// x + bias below -lambd, x - bias above lambd, 0 between; integers are computed in double and saturate.
std::unique_ptr<Kernel> make_shrink(const KernelContext& context) {
  const double lambd = context.node.float_or("lambd", 0.5F), bias = context.node.float_or("bias", 0.0F);
  return kernel_of([lambd, bias](KernelCall& call) {
    visit_number(call.input(0).type(), [&]<class T>(T) {
      const auto in = call.input(0).data<T>();
      auto out = call.make_output_like(0, 0).template mutable_data<T>();
      for (size_t i = 0; i < in.size(); ++i) {
        const auto x = static_cast<double>(in[i]);
        const double y = x < -lambd ? x + bias : x > lambd ? x - bias : 0;
        if constexpr (std::is_integral_v<T>)
          out[i] = saturated<T>(y);
        else
          out[i] = static_cast<T>(y);
      }
    });
  });
}

constexpr OperatorDef kShrinkDefinitions[] = {
    {.op_type = "Shrink",
     .signature = "input -> output; bias:float lambd:float",
     .traits = {.kind = OpKind::OtherActivation},
     .make = with_half<make_shrink>,
     .first_opset = 9,
     .layout = LayoutNeed::Same},
};

}  // namespace

std::span<const OperatorDef> shrink_operators() { return kShrinkDefinitions; }

}  // namespace detent
