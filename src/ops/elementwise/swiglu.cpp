#include <cmath>

#include "ops/elementwise/binary.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/half_precision.h"

namespace detent {

namespace {

/// a * sigmoid(alpha * a) * b, without broadcasting.
std::unique_ptr<Kernel> make_swiglu(const KernelContext& context) {
  return kernel_of([alpha = context.node.float_or("alpha", 1)](KernelCall& call) {
    const Tensor &gate = call.input(0), &linear = call.input(1);
    if (gate.shape() != linear.shape() || gate.type() != linear.type())
      throw Error(ErrorCode::InvalidData, "inputs of shapes " + gate.shape().to_string() + " and " +
                                              linear.shape().to_string() + ", expected equal shapes and types");
    visit_float(gate.type(), [&]<class T>(T) {
      const auto a = call.input(0).data<T>(), b = linear.data<T>();
      const auto out = call.make_output_like(0, 0).template mutable_data<T>();
      if constexpr (std::is_same_v<T, float>) {
        std::vector<float> swish(a.size());
        apply_unary({UnaryFunction::Silu, alpha}, a.data(), swish.data(), a.size());
        for (size_t i = 0; i < a.size(); ++i) out[i] = swish[i] * b[i];
      } else {
        const auto factor = static_cast<T>(alpha);
        for (size_t i = 0; i < a.size(); ++i) out[i] = a[i] / (T{1} + std::exp(-factor * a[i])) * b[i];
      }
    });
  });
}

constexpr OperatorDef kSwigluDefinitions[] = {
    {.op_type = "SwiGLU",
     .signature = "A B -> Y; alpha:float",
     .traits = {.kind = OpKind::OtherElementwise},
     .make = with_half<make_swiglu>,
     .first_opset = 28,
     .layout = LayoutNeed::Same},
};

}  // namespace

std::span<const OperatorDef> swiglu_operators() { return kSwigluDefinitions; }

}  // namespace detent
