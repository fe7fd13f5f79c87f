#include <cmath>

#include "ops/half_precision.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

namespace {

/// A kernel from floats to bool.
template <class Test>
std::unique_ptr<Kernel> test_kernel(Test test) {
  return kernel_of([test](KernelCall& call) {
    const Tensor& input = call.input(0);
    auto out = call.make_output(0, DataType::Bool, input.shape(), input.layout()).mutable_data<bool>();
    visit_number(input.type(), [&]<class T>(T) {
      if constexpr (std::is_floating_point_v<T>) {
        const auto in = input.data<T>();
        for (size_t i = 0; i < in.size(); ++i) out[i] = test(in[i]);
      } else {
        throw unsupported_type(input.type());
      }
    });
  });
}

std::unique_ptr<Kernel> make_is_nan(const KernelContext&) {
  return test_kernel([](auto x) { return std::isnan(x); });
}

std::unique_ptr<Kernel> make_is_inf(const KernelContext& context) {
  const bool positive = context.node.int_or("detect_positive", 1) != 0;
  const bool negative = context.node.int_or("detect_negative", 1) != 0;
  return test_kernel([=](auto x) { return std::isinf(x) && (x > 0 ? positive : negative); });
}

constexpr OpTraits kTest{.kind = OpKind::OtherElementwise, .data_inputs = 1};

constexpr OperatorDef kDefinitions[] = {
    {.op_type = "IsNaN", .traits = kTest, .make = with_half<make_is_nan>, .layout = LayoutNeed::Same, .first_opset = 9},
    {.op_type = "IsInf",
     .traits = kTest,
     .make = with_half<make_is_inf>,
     .layout = LayoutNeed::Same,
     .first_opset = 10},
};

}  // namespace

std::span<const OperatorDef> float_class_operators() { return kDefinitions; }

}  // namespace detent
