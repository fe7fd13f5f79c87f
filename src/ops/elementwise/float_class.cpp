#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/half_precision.h"

namespace detent {

namespace {

/// Not-a-number, an infinity or, for any other, 0 of the same class as a float of eight bits.
/// Source  ONNX, "Float stored in 8 bits".
float class_of(uint8_t bits, DataType type) {
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN(), kInfinity = std::numeric_limits<float>::infinity();
  const int magnitude = bits & 0x7F;
  switch (type) {
    case DataType::Float8E4M3FN: return magnitude == 0x7F ? kNone : 0;
    case DataType::Float8E4M3FNUZ:
    case DataType::Float8E5M2FNUZ: return bits == 0x80 ? kNone : 0;
    case DataType::Float8E5M2:
      if (magnitude == 0x7C) return bits == magnitude ? kInfinity : -kInfinity;
      return magnitude > 0x7C ? kNone : 0;
    default: throw unsupported_type(type);
  }
}

Tensor float_classes(const Tensor& tensor, Allocator& allocator) {
  Tensor classes(DataType::Float32, tensor.shape(), allocator, tensor.layout());
  std::ranges::transform(tensor.data<uint8_t>(), classes.mutable_data<float>().begin(),
                         [&](uint8_t bits) { return class_of(bits, tensor.type()); });
  return classes;
}

/// A kernel from floats of any size to bool.
template <class Test>
std::unique_ptr<Kernel> test_kernel(Test test) {
  return kernel_of([test](KernelCall& call) {
    const Tensor& given = call.input(0);
    const Tensor input = is_small_float(given.type()) ? float_classes(given, call.allocator()) : given;
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

constexpr OperatorDef kFloatClassDefinitions[] = {
    {"IsNaN", "X -> Y", kTest, with_half<make_is_nan>, 9, LayoutNeed::Same},
    {"IsInf", "X -> Y; detect_negative:int detect_positive:int", kTest, with_half<make_is_inf>, 10, LayoutNeed::Same},
};

}  // namespace

std::span<const OperatorDef> float_class_operators() { return kFloatClassDefinitions; }

}  // namespace detent
