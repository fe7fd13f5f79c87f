#include <algorithm>
#include <array>
#include <cmath>

#include "ops/elementwise/unary_kernel.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/operator_table.h"
#include "ops/types/half_precision.h"

namespace detent {

namespace {

struct Unary {
  std::string_view op_type;
  UnaryFunction function;
  OpKind kind = OpKind::OtherElementwise;
  Signature signature = "input -> output";
};

constexpr Unary kUnary[] = {
    {"Exp", UnaryFunction::Exp},
    {"Log", UnaryFunction::Log, OpKind::Log},
    {"Sqrt", UnaryFunction::Sqrt, OpKind::Sqrt, "X -> Y"},
    {"Reciprocal", UnaryFunction::Reciprocal, OpKind::OtherElementwise, "X -> Y"},
    {"Abs", UnaryFunction::Abs, OpKind::Abs, "X -> Y"},
    {"Neg", UnaryFunction::Neg, OpKind::OtherElementwise, "X -> Y"},
    {"Floor", UnaryFunction::Floor, OpKind::OtherElementwise, "X -> Y"},
    {"Ceil", UnaryFunction::Ceil, OpKind::OtherElementwise, "X -> Y"},
    {"Round", UnaryFunction::Round, OpKind::OtherElementwise, "X -> Y"},
    {"Sign", UnaryFunction::Sign},
    {"Sin", UnaryFunction::Sin},
    {"Cos", UnaryFunction::Cos},
    {"Erf", UnaryFunction::Erf, OpKind::Gelu},  // exporters write Erf for nothing but GELU
};

/// Functions nobody needs fast.
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

std::unique_ptr<Kernel> make_not(const KernelContext&) { return kernel_of(run_not); }

constexpr OperatorDef unary_definition(const Unary& unary) {
  return {unary.op_type, unary.signature, {.kind = unary.kind}, with_half<make_unary>, 1, LayoutNeed::Same};
}

constexpr OperatorDef definition_of_rare(const Rare& rare) {
  return {rare.op_type,    "input -> output", {.kind = OpKind::OtherElementwise}, with_half<make_rare>, 1,
          LayoutNeed::Same};
}

constexpr std::array<OperatorDef, 1> kOtherUnaryOperators = {
    {{"Not", "X -> Y", {.kind = OpKind::OtherElementwise, .data_inputs = 0}, make_not, 1, LayoutNeed::Same}}};

constexpr auto kUnaryDefinitions = joined(
    joined(definitions_of(kUnary, unary_definition), definitions_of(kRare, definition_of_rare)), kOtherUnaryOperators);

}  // namespace

std::span<const OperatorDef> unary_operators() { return kUnaryDefinitions; }

}  // namespace detent
