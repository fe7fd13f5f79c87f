#include "ops/elementwise/activation.h"

#include <algorithm>
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
#include "ops/types/float_types.h"

namespace detent {

namespace {

/// An activation, and the attributes that its parameters come from. An empty name means that the value is fixed.
struct Activation {
  std::string_view op_type;
  OpKind kind;
  UnaryFunction function;
  std::string_view alpha_name = "";
  float alpha = 0;
  std::string_view beta_name = "";
  float beta = 0;
};

constexpr Activation kActivations[] = {
    {"Relu", OpKind::Relu, UnaryFunction::Relu},
    {"LeakyRelu", OpKind::LeakyRelu, UnaryFunction::LeakyRelu, "alpha", 0.01F},
    {"Sigmoid", OpKind::Sigmoid, UnaryFunction::Sigmoid},
    {"HardSigmoid", OpKind::HardSigmoid, UnaryFunction::HardSigmoid, "alpha", 0.2F, "beta", 0.5F},
    {"HardSwish", OpKind::HardSwish, UnaryFunction::HardSwish},
    {"Swish", OpKind::Silu, UnaryFunction::Silu, "alpha", 1},
    {"Tanh", OpKind::Tanh, UnaryFunction::Tanh},
    {"Elu", OpKind::OtherActivation, UnaryFunction::Elu, "alpha", 1},
    {"Celu", OpKind::OtherActivation, UnaryFunction::Celu, "alpha", 1},
    {"Selu", OpKind::OtherActivation, UnaryFunction::Selu, "alpha", 1.67326319F, "gamma", 1.05070102F},
    {"ThresholdedRelu", OpKind::OtherActivation, UnaryFunction::ThresholdedRelu, "alpha", 1},
    {"Softplus", OpKind::OtherActivation, UnaryFunction::Softplus},
    {"Softsign", OpKind::OtherActivation, UnaryFunction::Softsign},
    {"Mish", OpKind::OtherActivation, UnaryFunction::Mish},
};

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
  return unary_kernel({spec.function, spec.alpha, spec.beta});
}

std::unique_ptr<Kernel> make_gelu(const KernelContext& context) {
  const std::string approximate = context.node.string_or("approximate", "none");
  if (approximate != "none" && approximate != "tanh")
    throw Error(ErrorCode::InvalidModel, "attribute approximate='" + approximate + "' is neither 'none' nor 'tanh'");
  return unary_kernel({approximate == "tanh" ? UnaryFunction::GeluTanh : UnaryFunction::Gelu});
}

constexpr float kLowest = std::numeric_limits<float>::lowest();
constexpr float kHighest = std::numeric_limits<float>::max();

/// Runs Clip of opset 11 and later with any mix of constant and computed bounds, on any type.
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

/// Computes x + bias below -lambd, x - bias above lambd, 0 between; integers are computed in double and saturate.
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

/// Computes a * sigmoid(alpha * a) * b, without broadcasting.
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

}  // namespace

std::optional<ActivationSpec> activation_of(const Graph& graph, const Node& node) {
  const OperatorDef* definition = find_operator(node.domain, node.op_type, graph.opset(node.domain));
  if (!definition) return std::nullopt;
  if (definition->traits.kind == OpKind::Clip) return constant_clip(graph, node);
  const Activation* activation = find_activation(node.op_type);
  return activation ? std::optional(spec_of(*activation, node)) : std::nullopt;
}

void apply_activation(const ActivationSpec& activation, std::span<float> values) {
  apply_unary({activation.function, activation.alpha, activation.beta}, values.data(), values.data(), values.size());
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

std::vector<OperatorDef> activation_operators() {
  std::vector<OperatorDef> all;
  for (const Activation& one : kActivations)
    all.push_back({one.op_type, {.kind = one.kind, .data_inputs = 1}, with_half<make_activation>, 1, LayoutNeed::Same});
  // The bounds of a Clip are scalars: Same would take them for operands of another shape and make the input plain.
  all.push_back({"Clip", {.kind = OpKind::Clip, .data_inputs = 1}, with_half<make_clip>, 1, LayoutNeed::Any});
  all.push_back({"Gelu", {.kind = OpKind::Gelu, .data_inputs = 1}, with_half<make_gelu>, 1, LayoutNeed::Same});
  all.push_back({"Shrink", {.kind = OpKind::OtherActivation}, with_half<make_shrink>, 9, LayoutNeed::Same});
  all.push_back({"SwiGLU", {.kind = OpKind::OtherElementwise}, with_half<make_swiglu>, 28, LayoutNeed::Same});
  return all;
}

}  // namespace detent
