#include <array>
#include <cmath>

#include "ops/kernel_function.h"
#include "ops/memory/broadcast_loop.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/half_precision.h"

namespace detent {

namespace {

/// The remainder has the sign of the dividend (C's fmod) or, unless `as_in_c`, that of the divisor.
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
  return kernel_of([as_in_c = context.node.int_or("fmod", 0) != 0](KernelCall& call) {
    const DataType type = call.input(0).type();
    if (call.input(1).type() != type)
      throw Error(ErrorCode::InvalidModel, "operands of types " + std::string(name_of(type)) + " and " +
                                               std::string(name_of(call.input(1).type())) + ", expected one type");
    const Broadcast broadcast(std::array{&call.input(0), &call.input(1)}, call.allocator());
    Tensor output(type, broadcast.output(), call.allocator(), broadcast.layout());
    visit_number(type, [&]<class T>(T) {
      loop_over<T>(broadcast, output.mutable_data<T>().data(), [&](T a, T b) { return remainder_of(a, b, as_in_c); });
    });
    call.set_output(0, std::move(output));
  });
}

constexpr OperatorDef kModDefinitions[] = {
    {"Mod", "A B -> C; fmod:int", {.kind = OpKind::OtherElementwise}, with_half<make_mod>, 10, LayoutNeed::Any},
};

}  // namespace

std::span<const OperatorDef> mod_operators() { return kModDefinitions; }

}  // namespace detent
