#include "ops/elementwise/unary_kernel.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "ops/kernel_function.h"
#include "ops/operands.h"

namespace detent {

namespace {

double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

double activation_value(const UnarySpec& spec, double x) {
  const double alpha = spec.alpha, beta = spec.beta;
  switch (spec.function) {
    case UnaryFunction::Relu: return x < 0 ? 0 : x;
    case UnaryFunction::LeakyRelu: return x < 0 ? alpha * x : x;
    case UnaryFunction::ThresholdedRelu: return x <= alpha ? 0 : x;
    case UnaryFunction::Clip: return x < alpha ? alpha : x > beta ? beta : x;
    case UnaryFunction::Sigmoid: return 1 / (1 + std::exp(-x));
    case UnaryFunction::HardSigmoid: return std::clamp(alpha * x + beta, 0.0, 1.0);
    case UnaryFunction::HardSwish: return x * std::clamp(x / 6 + 0.5, 0.0, 1.0);
    case UnaryFunction::Silu: return x / (1 + std::exp(-alpha * x));
    case UnaryFunction::Tanh: return std::tanh(x);
    case UnaryFunction::Elu: return x > 0 ? x : alpha * std::expm1(x);
    case UnaryFunction::Celu: return x > 0 ? x : alpha * std::expm1(x / alpha);
    case UnaryFunction::Selu: return beta * (x > 0 ? x : alpha * std::expm1(x));
    case UnaryFunction::Softplus: return softplus(x);
    case UnaryFunction::Softsign: return x / (1 + std::abs(x));
    case UnaryFunction::Mish: return x * std::tanh(softplus(x));
    case UnaryFunction::Gelu: return 0.5 * x * (1 + std::erf(x * std::sqrt(0.5)));
    case UnaryFunction::GeluTanh: return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    default: return x;
  }
}

double unary_value(const UnarySpec& spec, double x) {
  switch (spec.function) {
    case UnaryFunction::Erf: return std::erf(x);
    case UnaryFunction::Exp: return std::exp(x);
    case UnaryFunction::Log: return std::log(x);
    case UnaryFunction::Sqrt: return std::sqrt(x);
    case UnaryFunction::Reciprocal: return 1 / x;
    case UnaryFunction::Abs: return std::abs(x);
    case UnaryFunction::Neg: return -x;
    case UnaryFunction::Floor: return std::floor(x);
    case UnaryFunction::Ceil: return std::ceil(x);
    case UnaryFunction::Round: return std::nearbyint(x);
    case UnaryFunction::Sign: return x > 0 ? 1 : x < 0 ? -1 : x;
    case UnaryFunction::Sin: return std::sin(x);
    case UnaryFunction::Cos: return std::cos(x);
    default: return activation_value(spec, x);
  }
}

/// Computes one integer; Neg and Abs are unsigned: the negative of the smallest integer is itself.
template <class T>
T integer_value(UnaryFunction function, T x) {
  const auto negative = static_cast<T>(std::make_unsigned_t<T>{0} - static_cast<std::make_unsigned_t<T>>(x));
  switch (function) {
    case UnaryFunction::Relu: return std::max(x, T{0});
    case UnaryFunction::Neg: return negative;
    case UnaryFunction::Abs: return x < T{0} ? negative : x;
    case UnaryFunction::Sign: return static_cast<T>((x > T{0}) - (x < T{0}));
    case UnaryFunction::Erf: return static_cast<T>(std::erf(static_cast<double>(x)));  // 0, or 1 far from 0
    default: throw unsupported_type(data_type_of<T>);
  }
}

}  // namespace

std::unique_ptr<Kernel> unary_kernel(UnarySpec spec) {
  return kernel_of([spec](KernelCall& call) {
    const DataType type = call.input(0).type();
    visit_number(type, [&]<class T>(T) {
      Tensor& output = call.make_output_like(0, 0);
      const auto in = call.input(0).data<T>();
      const auto out = output.mutable_data<T>();
      if constexpr (std::is_same_v<T, float>) {
        apply_unary(spec, in.data(), out.data(), in.size());
      } else if constexpr (std::is_same_v<T, double>) {
        for (size_t i = 0; i < in.size(); ++i) out[i] = unary_value(spec, in[i]);
      } else {
        for (size_t i = 0; i < in.size(); ++i) out[i] = integer_value(spec.function, in[i]);
      }
    });
  });
}

}  // namespace detent
