#include <algorithm>
#include <array>

#include "ops/kernel_function.h"
#include "ops/memory/broadcast_loop.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

namespace {

enum class BitFunction : uint8_t { And, Or, Xor, ShiftLeft, ShiftRight };

/// Shifts by the width of the type or more, or by a negative number, leave nothing but copies of the sign.
template <class T>
T bitwise_value(BitFunction function, T a, T b) {
  const bool beyond = static_cast<uint64_t>(b) >= 8 * sizeof(T);
  T sign{0};
  if constexpr (std::is_signed_v<T>)
    if (a < T{0}) sign = T{-1};
  switch (function) {
    case BitFunction::And: return static_cast<T>(a & b);
    case BitFunction::Or: return static_cast<T>(a | b);
    case BitFunction::Xor: return static_cast<T>(a ^ b);
    case BitFunction::ShiftLeft: return beyond ? T{0} : static_cast<T>(static_cast<uint64_t>(a) << b);
    case BitFunction::ShiftRight: return beyond ? sign : static_cast<T>(a >> b);
  }
  return a;
}

enum class Accepts : uint8_t { AllIntegers, UnsignedOnly };

std::unique_ptr<Kernel> binary_kernel(BitFunction function, Accepts accepts) {
  return kernel_of([function, accepts](KernelCall& call) {
    const DataType type = call.input(0).type();
    if (call.input(1).type() != type)
      throw Error(ErrorCode::InvalidModel, "operands of types " + std::string(name_of(type)) + " and " +
                                               std::string(name_of(call.input(1).type())) + ", expected one type");
    const Broadcast broadcast(std::array{&call.input(0), &call.input(1)}, call.allocator());
    Tensor output(type, broadcast.output(), call.allocator(), broadcast.layout());
    visit_number(type, [&]<class T>(T) {
      if constexpr (std::is_integral_v<T>) {
        if (std::is_signed_v<T> && accepts == Accepts::UnsignedOnly) throw unsupported_type(type);
        loop_over<T>(broadcast, output.mutable_data<T>().data(),
                     [&](T a, T b) { return bitwise_value(function, a, b); });
      } else {
        throw unsupported_type(type);
      }
    });
    call.set_output(0, std::move(output));
  });
}

template <BitFunction function>
std::unique_ptr<Kernel> make_bitwise(const KernelContext&) {
  return binary_kernel(function, Accepts::AllIntegers);
}

std::unique_ptr<Kernel> make_shift(const KernelContext& context) {
  const std::string direction = context.node.string_or("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    throw Error(ErrorCode::InvalidModel, "attribute direction='" + direction + "' is neither 'LEFT' nor 'RIGHT'");
  return binary_kernel(direction == "LEFT" ? BitFunction::ShiftLeft : BitFunction::ShiftRight,
                       context.opset >= 28 ? Accepts::AllIntegers : Accepts::UnsignedOnly);
}

void run_bitwise_not(KernelCall& call) {
  visit_number(call.input(0).type(), [&]<class T>(T) {
    if constexpr (std::is_integral_v<T>) {
      const auto in = call.input(0).data<T>();
      auto out = call.make_output_like(0, 0).mutable_data<T>();
      for (size_t i = 0; i < in.size(); ++i) out[i] = static_cast<T>(~in[i]);
    } else {
      throw unsupported_type(call.input(0).type());
    }
  });
}

std::unique_ptr<Kernel> make_bitwise_not(const KernelContext&) { return kernel_of(run_bitwise_not); }

constexpr OpTraits kBits{.kind = OpKind::OtherElementwise, .data_inputs = 0};

constexpr OperatorDef kBitwiseDefinitions[] = {
    {"BitwiseAnd", "A B -> C", kBits, make_bitwise<BitFunction::And>, 18, LayoutNeed::Any},
    {"BitwiseOr", "A B -> C", kBits, make_bitwise<BitFunction::Or>, 18, LayoutNeed::Any},
    {"BitwiseXor", "A B -> C", kBits, make_bitwise<BitFunction::Xor>, 18, LayoutNeed::Any},
    {"BitwiseNot", "X -> Y", kBits, make_bitwise_not, 18, LayoutNeed::Same},
    {"BitShift", "X Y -> Z; direction:string(LEFT|RIGHT)!", kBits, make_shift, 11, LayoutNeed::Any},
};

}  // namespace

std::span<const OperatorDef> bitwise_operators() { return kBitwiseDefinitions; }

}  // namespace detent
