#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/elementwise/unary_kernel.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/float_types.h"

namespace detent {

namespace {

struct Unary {
  std::string_view op_type;
  UnaryFunction function;
  OpKind kind = OpKind::OtherElementwise;
};

constexpr Unary kUnary[] = {
    {"Exp", UnaryFunction::Exp},
    {"Log", UnaryFunction::Log, OpKind::Log},
    {"Sqrt", UnaryFunction::Sqrt, OpKind::Sqrt},
    {"Reciprocal", UnaryFunction::Reciprocal},
    {"Abs", UnaryFunction::Abs, OpKind::Abs},
    {"Neg", UnaryFunction::Neg},
    {"Floor", UnaryFunction::Floor},
    {"Ceil", UnaryFunction::Ceil},
    {"Round", UnaryFunction::Round},
    {"Sign", UnaryFunction::Sign},
    {"Sin", UnaryFunction::Sin},
    {"Cos", UnaryFunction::Cos},
    {"Erf", UnaryFunction::Erf, OpKind::Gelu},  // exporters write Erf for GELU only
};

/// Functions without a vector form.
struct Rare {
  std::string_view op_type;
  double (*function)(double);
};

constexpr Rare kRare[] = {
    {"Tan", [](double x) { return std::tan(x); }},     {"Asin", [](double x) { return std::asin(x); }},
    {"Acos", [](double x) { return std::acos(x); }},   {"Atan", [](double x) { return std::atan(x); }},
    {"Sinh", [](double x) { return std::sinh(x); }},   {"Cosh", [](double x) { return std::cosh(x); }},
    {"Asinh", [](double x) { return std::asinh(x); }}, {"Acosh", [](double x) { return std::acosh(x); }},
    {"Atanh", [](double x) { return std::atanh(x); }},
};

std::unique_ptr<Kernel> make_unary(const KernelContext& context) {
  const auto* unary = std::ranges::find(kUnary, std::string_view(context.node.op_type), &Unary::op_type);
  return unary_kernel({unary->function});
}

std::unique_ptr<Kernel> make_rare(const KernelContext& context) {
  const auto* rare = std::ranges::find(kRare, std::string_view(context.node.op_type), &Rare::op_type);
  return kernel_of([function = rare->function](KernelCall& call) {
    visit_float(call.input(0).type(), [&]<class T>(T) {
      auto out = call.make_output_like(0, 0).template mutable_data<T>();
      const auto in = call.input(0).data<T>();
      for (size_t i = 0; i < in.size(); ++i) out[i] = static_cast<T>(function(static_cast<double>(in[i])));
    });
  });
}

void run_not(KernelCall& call) {
  auto out = call.make_output_like(0, 0).mutable_data<bool>();
  const auto in = call.input(0).data<bool>();
  for (size_t i = 0; i < in.size(); ++i) out[i] = !in[i];
}

/// Returns NaN or infinity for a float of eight bits that is one, 0 for all others.
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

}  // namespace

std::vector<OperatorDef> unary_operators() {
  std::vector<OperatorDef> all;
  for (const Unary& unary : kUnary)
    all.push_back({unary.op_type, {.kind = unary.kind}, with_half<make_unary>, 1, LayoutNeed::Same});
  for (const Rare& rare : kRare)
    all.push_back({rare.op_type, {.kind = OpKind::OtherElementwise}, with_half<make_rare>, 1, LayoutNeed::Same});
  const OpTraits mask{.kind = OpKind::OtherElementwise, .data_inputs = 0};
  const OpTraits test{.kind = OpKind::OtherElementwise, .data_inputs = 1};
  all.push_back({"Not", mask, stateless<run_not>, 1, LayoutNeed::Same});
  all.push_back({"IsNaN", test, with_half<make_is_nan>, 9, LayoutNeed::Same});
  all.push_back({"IsInf", test, with_half<make_is_inf>, 10, LayoutNeed::Same});
  return all;
}

}  // namespace detent
