#include "ops/elementwise/activation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/index.h"
#include "core/saturated.h"
#include "ops/clip_bounds.h"
#include "ops/elementwise/binary.h"
#include "ops/elementwise/unary_kernel.h"
#include "ops/find_operator.h"
#include "ops/kernel_function.h"
#include "ops/memory/memory_order.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/operator_table.h"
#include "ops/types/half_precision.h"

namespace detent {

namespace {

/// One activation: where its parameters come from. An empty name means that the value is fixed.
struct Activation {
  std::string_view op_type;
  Signature signature;
  OpKind kind;
  UnaryFunction function;
  std::string_view alpha_name;
  float alpha = 0;
  std::string_view beta_name;
  float beta = 0;
};

constexpr Activation kActivations[] = {
    {"Relu", "X -> Y", OpKind::Relu, UnaryFunction::Relu, "", 0, "", 0},
    {"LeakyRelu", "X -> Y; alpha:float", OpKind::LeakyRelu, UnaryFunction::LeakyRelu, "alpha", 0.01F, "", 0},
    {"Sigmoid", "X -> Y", OpKind::Sigmoid, UnaryFunction::Sigmoid, "", 0, "", 0},
    {"HardSigmoid", "X -> Y; alpha:float beta:float", OpKind::HardSigmoid, UnaryFunction::HardSigmoid, "alpha", 0.2F,
     "beta", 0.5F},
    {"HardSwish", "X -> Y", OpKind::HardSwish, UnaryFunction::HardSwish, "", 0, "", 0},
    {"Swish", "X -> Y; alpha:float", OpKind::Silu, UnaryFunction::Silu, "alpha", 1, "", 0},
    {"Tanh", "input -> output", OpKind::Tanh, UnaryFunction::Tanh, "", 0, "", 0},
    {"Elu", "X -> Y; alpha:float", OpKind::OtherActivation, UnaryFunction::Elu, "alpha", 1, "", 0},
    {"Celu", "X -> Y; alpha:float", OpKind::OtherActivation, UnaryFunction::Celu, "alpha", 1, "", 0},
    {"Selu", "X -> Y; alpha:float gamma:float", OpKind::OtherActivation, UnaryFunction::Selu, "alpha", 1.67326319F,
     "gamma", 1.05070102F},
    {"ThresholdedRelu", "X -> Y; alpha:float", OpKind::OtherActivation, UnaryFunction::ThresholdedRelu, "alpha", 1, "",
     0},
    {"Softplus", "X -> Y", OpKind::OtherActivation, UnaryFunction::Softplus, "", 0, "", 0},
    {"Softsign", "input -> output", OpKind::OtherActivation, UnaryFunction::Softsign, "", 0, "", 0},
    {"Mish", "X -> Y", OpKind::OtherActivation, UnaryFunction::Mish, "", 0, "", 0},
};

UnaryFunction function_of(const ActivationSpec& activation) {
  switch (activation.kind) {
    case OpKind::Relu: return UnaryFunction::Relu;
    case OpKind::LeakyRelu: return UnaryFunction::LeakyRelu;
    case OpKind::Clip: return UnaryFunction::Clip;
    case OpKind::Sigmoid: return UnaryFunction::Sigmoid;
    case OpKind::HardSigmoid: return UnaryFunction::HardSigmoid;
    case OpKind::HardSwish: return UnaryFunction::HardSwish;
    case OpKind::Silu: return UnaryFunction::Silu;
    case OpKind::Tanh: return UnaryFunction::Tanh;
    default: return activation.other;
  }
}

ActivationSpec spec_of(const Activation& activation, const Node& node) {
  ActivationSpec spec{activation.kind, activation.alpha, activation.beta, activation.function};
  if (!activation.alpha_name.empty()) spec.alpha = node.float_or(activation.alpha_name, activation.alpha);
  if (!activation.beta_name.empty()) spec.beta = node.float_or(activation.beta_name, activation.beta);
  return spec;
}

const Activation* find_activation(std::string_view op_type) {
  const auto* found = std::ranges::find(kActivations, op_type, &Activation::op_type);
  return found == std::end(kActivations) ? nullptr : found;
}

std::unique_ptr<Kernel> make_activation(const KernelContext& context) {
  const ActivationSpec spec = spec_of(*find_activation(context.node.op_type), context.node);
  return unary_kernel({function_of(spec), spec.alpha, spec.beta});
}

std::unique_ptr<Kernel> make_gelu(const KernelContext& context) {
  const std::string approximate = context.node.string_or("approximate", "none");
  if (approximate != "none" && approximate != "tanh")
    throw Error(ErrorCode::InvalidModel, "attribute approximate='" + approximate + "' is neither 'none' nor 'tanh'");
  return unary_kernel({approximate == "tanh" ? UnaryFunction::GeluTanh : UnaryFunction::Gelu});
}

constexpr float kLowest = std::numeric_limits<float>::lowest();
constexpr float kHighest = std::numeric_limits<float>::max();

/// Clip of opset 11 and later with any mix of constant and computed bounds, on any type.
void clip_with_inputs(KernelCall& call) {
  const Tensor& input = call.input(0);
  if (input.type() == DataType::Float32) {
    const float high = call.has_input(2) ? scalar_of(call.input(2)) : kHighest;
    const float low = call.has_input(1) ? scalar_of(call.input(1)) : kLowest;
    const UnarySpec spec{UnaryFunction::Clip, std::min(low, high), high};  // the upper bound wins
    Tensor& output = call.make_output_like(0, 0);
    return apply_unary(spec, call.input(0).data<float>().data(), output.mutable_data<float>().data(),
                       as_index(output.element_count()));
  }
  visit_number(input.type(), [&]<class T>(T) {
    const T low = call.has_input(1) ? first_of<T>(call.input(1)) : std::numeric_limits<T>::lowest();
    const T high = call.has_input(2) ? first_of<T>(call.input(2)) : std::numeric_limits<T>::max();
    const auto in = input.data<T>();
    auto out = call.make_output_like(0, 0).mutable_data<T>();
    for (size_t i = 0; i < in.size(); ++i) out[i] = std::min(std::max(in[i], low), high);  // in this order NaN stays
  });
}

std::unique_ptr<Kernel> make_clip(const KernelContext& context) {
  if (context.opset >= 11) return kernel_of(clip_with_inputs);
  return unary_kernel(
      {UnaryFunction::Clip, context.node.float_or("min", kLowest), context.node.float_or("max", kHighest)});
}

std::optional<ActivationSpec> constant_clip(const Graph& graph, const Node& node) {
  const auto bounds = clip_bounds(graph, node);
  if (!bounds) return std::nullopt;
  return ActivationSpec{OpKind::Clip, bounds->min.value_or(kLowest), bounds->max.value_or(kHighest),
                        UnaryFunction::Clip};
}

constexpr OperatorDef activation_definition(const Activation& activation) {
  return {activation.op_type,
          activation.signature,
          {.kind = activation.kind, .data_inputs = 1},
          with_half<make_activation>,
          1,
          LayoutNeed::Same};
}

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

constexpr std::array<OperatorDef, 4> kOtherActivationOperators = {{
    // Its bounds are scalars: Same would take them for operands of another shape and make the input plain.
    {.op_type = "Clip",
     .signature = "input -> output; max:float min:float | 11: input min? max? -> output",
     .traits = {.kind = OpKind::Clip, .data_inputs = 1},
     .make = with_half<make_clip>,
     .layout = LayoutNeed::Any},
    {.op_type = "Gelu",
     .signature = "X -> Y; approximate:string(none|tanh)",
     .traits = {.kind = OpKind::Gelu, .data_inputs = 1},
     .make = with_half<make_gelu>,
     .layout = LayoutNeed::Same},
    {.op_type = "Shrink",
     .signature = "input -> output; bias:float lambd:float",
     .traits = {.kind = OpKind::OtherActivation},
     .make = with_half<make_shrink>,
     .first_opset = 9,
     .layout = LayoutNeed::Same},
    {.op_type = "SwiGLU",
     .signature = "A B -> Y; alpha:float",
     .traits = {.kind = OpKind::OtherElementwise},
     .make = with_half<make_swiglu>,
     .first_opset = 28,
     .layout = LayoutNeed::Same},
}};

constexpr auto kActivationDefinitions =
    joined(definitions_of(kActivations, activation_definition), kOtherActivationOperators);

}  // namespace

std::optional<ActivationSpec> activation_of(const Graph& graph, const Node& node) {
  const OperatorDef* definition = find_operator(node.domain, node.op_type, graph.opset(node.domain));
  if (!definition) return std::nullopt;
  if (definition->traits.kind == OpKind::Clip) return constant_clip(graph, node);
  const Activation* activation = definition->domain.empty() ? find_activation(node.op_type) : nullptr;
  return activation ? std::optional(spec_of(*activation, node)) : std::nullopt;
}

void apply_activation(const ActivationSpec& activation, std::span<float> values) {
  apply_unary({function_of(activation), activation.alpha, activation.beta}, values.data(), values.data(),
              values.size());
}

void apply_bias_activation(Tensor& tensor, std::span<const float> bias, const ActivationSpec* activation) {
  constexpr int64_t kPiece = 4096;  // 16 KiB: half of L1
  const AxisView view = view_around(tensor.shape(), tensor.layout(), 1);
  const auto values = tensor.mutable_data<float>();
  const bool rows = view.inner == 1;  // channels side by side, else one after the other
  const int64_t length =
      rows ? std::max<int64_t>(1, kPiece / std::max<int64_t>(view.extent, 1)) * view.extent : view.inner;
  const auto total = static_cast<int64_t>(values.size());
  for (int64_t at = 0; at < total; at += length) {
    const auto piece = values.subspan(as_index(at), as_index(std::min(length, total - at)));
    const auto count = std::ssize(piece);
    float* data = piece.data();
    if (!bias.empty() && rows)
      apply_binary(BinaryFunction::Add, data, bias.data(), data,
                   {.rows = count / view.extent, .length = view.extent, .a_row = view.extent});
    else if (!bias.empty())
      apply_binary(BinaryFunction::Add, data, &bias[as_index(at / view.inner % view.extent)], data,
                   {.rows = 1, .length = count, .b_step = 0});
    if (activation) apply_activation(*activation, piece);
  }
}

std::span<const OperatorDef> activation_operators() { return kActivationDefinitions; }

}  // namespace detent
