#include "ops/elementwise/binary.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/index.h"
#include "ops/kernel_function.h"
#include "ops/memory/broadcast_loop.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/float_types.h"

namespace detent {

namespace {

template <class T>
T divide(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0) throw Error(ErrorCode::InvalidData, "division of an integer by zero");
    if constexpr (std::is_signed_v<T>)
      if (b == T{-1}) return static_cast<T>(uint64_t{0} - static_cast<uint64_t>(a));  // -min does not fit
  }
  return static_cast<T>(a / b);
}

template <class T>
bool is_nan(T x) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(x);
  return false;
}

/// Computes integers in uint64, where overflow is defined and the low bits are the same.
template <class T>
T binary_value(BinaryFunction function, T a, T b) {
  using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
  const auto wide_a = static_cast<Wide>(a), wide_b = static_cast<Wide>(b);
  switch (function) {
    case BinaryFunction::Add: return static_cast<T>(wide_a + wide_b);
    case BinaryFunction::Sub: return static_cast<T>(wide_a - wide_b);
    case BinaryFunction::Mul: return static_cast<T>(wide_a * wide_b);
    case BinaryFunction::Div: return divide(a, b);
    case BinaryFunction::Min: return is_nan(a) || a < b ? a : b;
    case BinaryFunction::Max: return is_nan(a) || a > b ? a : b;
    case BinaryFunction::PRelu: return a < T{0} ? static_cast<T>(wide_a * wide_b) : a;
  }
  return a;
}

bool is_dense(const Broadcast& broadcast) {
  const auto& strides = broadcast.loops().back().strides;
  return strides[0] <= 1 && strides[1] <= 1;
}

/// Gives the two innermost loops to the vector code at once.
void combine_floats(BinaryFunction function, const Broadcast& broadcast, float* out) {
  if (!is_dense(broadcast))
    return loop_over<float>(broadcast, out, [&](float a, float b) { return binary_value(function, a, b); });
  const auto loops = broadcast.loops();
  const Broadcast::Loop& inner = loops.back();
  BinaryRows rows{1, inner.extent, 0, inner.strides[0], 0, inner.strides[1]};
  if (loops.size() >= 2) {
    const Broadcast::Loop& outer = loops[loops.size() - 2];
    rows.rows = outer.extent;
    rows.a_row = outer.strides[0];
    rows.b_row = outer.strides[1];
  }
  broadcast.for_each_row(std::min<size_t>(2, loops.size()), [&](const auto& offsets, int64_t at) {
    apply_binary(function, broadcast.data<float>(0) + offsets[0], broadcast.data<float>(1) + offsets[1], out + at,
                 rows);
  });
}

void combine_into(BinaryFunction function, const Broadcast& broadcast, Tensor& output) {
  visit_number(output.type(), [&]<class T>(T) {
    T* out = output.mutable_data<T>().data();
    if constexpr (std::is_same_v<T, float>)
      combine_floats(function, broadcast, out);
    else
      loop_over<T>(broadcast, out, [&](T a, T b) { return binary_value(function, a, b); });
  });
}

/// Makes output 0, in the memory of the first operand that allows it.
Tensor& make_broadcast_output(KernelCall& call, const Broadcast& broadcast) {
  for (size_t i = 0; i < 2; ++i)
    if (broadcast.covers_output(call.input(i)) && call.input(i).owns_memory_alone()) return call.make_output_like(0, i);
  return call.make_output(0, call.input(0).type(), broadcast.output(), broadcast.layout());
}

struct Arithmetic {
  std::string_view op_type;
  BinaryFunction function;
  OpKind kind;
  int data_inputs = -1;
};

constexpr Arithmetic kArithmetic[] = {
    {"Add", BinaryFunction::Add, OpKind::Add},          {"Sub", BinaryFunction::Sub, OpKind::Sub},
    {"Mul", BinaryFunction::Mul, OpKind::Mul},          {"Div", BinaryFunction::Div, OpKind::Div},
    {"PRelu", BinaryFunction::PRelu, OpKind::PRelu, 1},
};

std::unique_ptr<Kernel> make_arithmetic(const KernelContext& context) {
  const auto* found = std::ranges::find(kArithmetic, std::string_view(context.node.op_type), &Arithmetic::op_type);
  return kernel_of([function = found->function](KernelCall& call) {
    check_same_type(call.input(0), call.input(1));
    const Broadcast broadcast(std::array{&call.input(0), &call.input(1)}, call.allocator());
    combine_into(function, broadcast, make_broadcast_output(call, broadcast));
  });
}

struct Variadic {
  std::string_view op_type;
  BinaryFunction function;
  OpKind kind = OpKind::OtherElementwise;
  bool mean = false;
};

constexpr Variadic kVariadic[] = {{"Min", BinaryFunction::Min, OpKind::Min},
                                  {"Max", BinaryFunction::Max, OpKind::Max},
                                  {"Sum", BinaryFunction::Add},
                                  {"Mean", BinaryFunction::Add, OpKind::OtherElementwise, true}};

std::unique_ptr<Kernel> make_variadic(const KernelContext& context) {
  const auto* found = std::ranges::find(kVariadic, std::string_view(context.node.op_type), &Variadic::op_type);
  return kernel_of([variadic = *found](KernelCall& call) {
    if (call.input_count() == 0) throw Error(ErrorCode::InvalidModel, "at least one input was expected");
    Tensor total = call.input(0);
    for (size_t i = 1; i < call.input_count(); ++i)
      total = combine(variadic.function, total, call.input(i), call.allocator());
    if (variadic.mean)
      total = combine(BinaryFunction::Div, total,
                      cast(Tensor::scalar(static_cast<float>(call.input_count())), total.type()), call.allocator());
    call.set_output(0, std::move(total));
  });
}

/// Computes integer powers by squaring; they wrap around, and a negative power of anything except 1 and -1 is 0.
template <class T>
T power_of(T base, T exponent) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::pow(base, exponent);
  } else {
    if constexpr (std::is_signed_v<T>)
      if (exponent < 0) return static_cast<T>(base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0);
    uint64_t result = 1, factor = static_cast<uint64_t>(base);
    for (auto rest = static_cast<uint64_t>(exponent); rest > 0; rest /= 2, factor *= factor)
      if (rest % 2 == 1) result *= factor;
    return static_cast<T>(result);
  }
}

/// Computes powers of two types in double; the result has the type of the base.
void run_mixed_pow(KernelCall& call) {
  const Tensor base = cast(call.input(0), DataType::Float64, call.allocator());
  const Tensor exponent = cast(call.input(1), DataType::Float64, call.allocator());
  const Broadcast broadcast(std::array{&base, &exponent}, call.allocator());
  Tensor output(DataType::Float64, broadcast.output(), call.allocator(), broadcast.layout());
  loop_over<double>(broadcast, output.mutable_data<double>().data(), power_of<double>);
  call.set_output(0, cast(output, call.input(0).type(), call.allocator()));
}

/// Exporters write Pow for x^2 and sqrt(x), which have vector forms.
void run_pow(KernelCall& call) {
  const Tensor& base = call.input(0);
  const bool float_exponent = call.input(1).type() == DataType::Float32 || call.input(1).type() == DataType::Float64;
  if (base.type() != call.input(1).type() && base.type() != DataType::Float32 && float_exponent)
    return run_mixed_pow(call);
  const Tensor exponent = cast(call.input(1), base.type(), call.allocator());
  if (base.type() == DataType::Float32 && exponent.element_count() == 1 &&
      exponent.shape().rank() <= base.shape().rank()) {
    const float power = exponent.data<float>()[0];
    const auto count = as_index(base.element_count());
    const float* in = base.data<float>().data();
    if (power == 2.0F) {
      float* out = call.make_output_like(0, 0).mutable_data<float>().data();
      return apply_binary(BinaryFunction::Mul, in, in, out, {.rows = 1, .length = base.element_count()});
    }
    if (power == 0.5F) {
      float* out = call.make_output_like(0, 0).mutable_data<float>().data();
      return apply_unary({UnaryFunction::Sqrt}, in, out, count);
    }
  }
  const Broadcast broadcast(std::array{&base, &exponent}, call.allocator());
  Tensor& output = call.make_output(0, base.type(), broadcast.output(), broadcast.layout());
  visit_number(base.type(), [&]<class T>(T) { loop_over<T>(broadcast, output.mutable_data<T>().data(), power_of<T>); });
}

/// Makes a kernel whose result has the type of the base, also where only the exponent is a half.
std::unique_ptr<Kernel> make_pow(const KernelContext&) {
  return kernel_of([inner = widen_half(kernel_of(run_pow))](KernelCall& call) {
    const DataType exponent = call.input(1).type();
    if (exponent != DataType::Float16 && exponent != DataType::BFloat16) return inner->run(call);
    Tensor inputs[] = {call.input(0), convert(call.input(1), DataType::Float32, call.allocator())};
    Tensor result;
    KernelCall wide(inputs, std::span(&result, 1), {}, call.allocator(), call.workspace());
    inner->run(wide);
    call.set_output(0, std::move(result));
  });
}

/// Returns the remainder, with the sign of the dividend (`as_in_c`: C's fmod) or that of the divisor.
template <class T>
T remainder_of(T a, T b, bool as_in_c) {
  if constexpr (std::is_floating_point_v<T>) {
    const T rest = std::fmod(a, b);
    if (as_in_c || std::isnan(rest)) return rest;
    if (rest == T{0}) return std::copysign(rest, b);
    return std::signbit(rest) != std::signbit(b) ? rest + b : rest;
  } else {
    if (b == T{0}) throw Error(ErrorCode::InvalidData, "remainder of an integer division by zero");
    if constexpr (std::is_signed_v<T>)
      if (b == T{-1}) return T{0};  // the quotient of the smallest number does not fit
    const auto rest = static_cast<T>(a % b);
    if constexpr (std::is_signed_v<T>)
      if (!as_in_c && rest != T{0} && (rest < T{0}) != (b < T{0})) return static_cast<T>(rest + b);
    return rest;
  }
}

std::unique_ptr<Kernel> make_mod(const KernelContext& context) {
  return pairwise_kernel(
      [as_in_c = context.node.int_or("fmod", 0) != 0]<class T>(T a, T b) { return remainder_of(a, b, as_in_c); });
}

}  // namespace

Tensor combine(BinaryFunction function, const Tensor& a, const Tensor& b, Allocator& allocator) {
  check_same_type(a, b);
  const Broadcast broadcast(std::array{&a, &b}, allocator);
  Tensor output(a.type(), broadcast.output(), allocator, broadcast.layout());
  combine_into(function, broadcast, output);
  return output;
}

std::vector<OperatorDef> binary_operators() {
  std::vector<OperatorDef> all;
  for (const auto& [op_type, function, kind, data_inputs] : kArithmetic)
    all.push_back(
        {op_type, {.kind = kind, .data_inputs = data_inputs}, with_half<make_arithmetic>, 7, LayoutNeed::Any});
  for (const Variadic& one : kVariadic)
    all.push_back({one.op_type, {.kind = one.kind}, with_half<make_variadic>, 6, LayoutNeed::Any});
  all.push_back({"Pow", {.kind = OpKind::Pow}, make_pow, 7, LayoutNeed::Any});
  all.push_back({"Mod", {.kind = OpKind::OtherElementwise}, with_half<make_mod>, 10, LayoutNeed::Any});
  return all;
}

}  // namespace detent
