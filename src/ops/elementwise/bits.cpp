#include <algorithm>
#include <array>

#include "model/graph/tensor_proto.h"
#include "ops/kernel_function.h"
#include "ops/memory/broadcast_loop.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

namespace {

DataType target_type(const Node& node) { return data_type_from_onnx(node.int_or("to", 0)); }

/// Elements below eight bits lie in a byte each: signed integers extend their sign there, all others leave zeros above.
Tensor extend_bits(const Tensor& input, DataType type, Allocator& allocator) {
  const int bits = static_cast<int>(bit_size(type));
  const bool is_signed = type == DataType::Int4 || type == DataType::Int2;
  Tensor output(type, input.shape(), allocator, input.layout());
  const auto* in = static_cast<const uint8_t*>(input.raw());
  auto* out = static_cast<uint8_t*>(output.mutable_raw());
  for (int64_t i = 0; i < input.element_count(); ++i) {
    const int element = in[i] & ((1 << bits) - 1);
    out[i] = static_cast<uint8_t>(is_signed && element >> (bits - 1) ? element - (1 << bits) : element);
  }
  return output;
}

/// The same bits read as another type of the same size.
std::unique_ptr<Kernel> make_bit_cast(const KernelContext& context) {
  return kernel_of([type = target_type(context.node)](KernelCall& call) {
    const Tensor& input = call.input(0);
    if (bit_size(input.type()) != bit_size(type))
      throw Error(ErrorCode::InvalidModel, "the bits of " + std::string(name_of(input.type())) + " cannot be read as " +
                                               std::string(name_of(type)) + ", which is of another size");
    call.set_output(0, bit_size(type) < 8 ? extend_bits(input, type, call.allocator()) : input.reinterpreted(type));
  });
}

std::optional<Unsupported> refuse_bit_cast_type(const KernelContext& context) {
  if (target_type(context.node) != DataType::Undefined) return std::nullopt;
  return Unsupported{"an output element type which Detent does not compute with"};
}

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
    check_same_type(call.input(0), call.input(1));
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

constexpr OperatorDef kBitCastDefinitions[] = {
    {.op_type = "BitCast",
     .signature = "input -> output; to:int!",
     .traits = {.data_inputs = 0},
     .make = make_bit_cast,
     .first_opset = 26,
     .layout = LayoutNeed::Same,
     .check = refuse_bit_cast_type},
    {"BitwiseAnd", "A B -> C", kBits, make_bitwise<BitFunction::And>, 18, LayoutNeed::Any},
    {"BitwiseOr", "A B -> C", kBits, make_bitwise<BitFunction::Or>, 18, LayoutNeed::Any},
    {"BitwiseXor", "A B -> C", kBits, make_bitwise<BitFunction::Xor>, 18, LayoutNeed::Any},
    {"BitwiseNot", "X -> Y", kBits, make_bitwise_not, 18, LayoutNeed::Same},
    {"BitShift", "X Y -> Z; direction:string(LEFT|RIGHT)!", kBits, make_shift, 11, LayoutNeed::Any},
};

}  // namespace

std::span<const OperatorDef> bit_operators() { return kBitCastDefinitions; }

}  // namespace detent
