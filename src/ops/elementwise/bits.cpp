#include <algorithm>

#include "model/graph/tensor_proto.h"
#include "ops/memory/broadcast_loop.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

namespace {

DataType target_type(const Node& node) { return data_type_from_onnx(node.int_or("to", 0)); }

/// Reads the bits of types below eight bits, which lie in a byte each: signed integers extend their sign, the bits
/// above others are 0.
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

/// Makes a kernel that reads the same bits as another type of the same size.
std::unique_ptr<Kernel> make_bit_cast(const KernelContext& context) {
  return kernel_of([type = target_type(context.node)](KernelCall& call) {
    const Tensor& input = call.input(0);
    if (bit_size(input.type()) != bit_size(type))
      throw Error(ErrorCode::InvalidModel, "the bits of " + std::string(name_of(input.type())) + " cannot be read as " +
                                               std::string(name_of(type)) + ", which is of another size");
    call.set_output(0, bit_size(type) < 8 ? extend_bits(input, type, call.allocator()) : input.reinterpreted(type));
  });
}

enum class BitFunction : uint8_t { And, Or, Xor, ShiftLeft, ShiftRight };

/// Computes one element. A shift by the width of the type or more, or by a negative number, leaves copies of the sign.
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

std::unique_ptr<Kernel> bitwise_kernel(BitFunction function, Accepts accepts) {
  return pairwise_kernel([function, accepts]<class T>(T a, T b) -> T {
    if constexpr (std::is_integral_v<T>)
      if (std::is_unsigned_v<T> || accepts == Accepts::AllIntegers) return bitwise_value(function, a, b);
    throw unsupported_type(data_type_of<T>);
  });
}

template <BitFunction function>
std::unique_ptr<Kernel> make_bitwise(const KernelContext&) {
  return bitwise_kernel(function, Accepts::AllIntegers);
}

std::unique_ptr<Kernel> make_shift(const KernelContext& context) {
  const std::string direction = context.node.string_or("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    throw Error(ErrorCode::InvalidModel, "attribute direction='" + direction + "' is neither 'LEFT' nor 'RIGHT'");
  return bitwise_kernel(direction == "LEFT" ? BitFunction::ShiftLeft : BitFunction::ShiftRight,
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

constexpr OpTraits kBits{.kind = OpKind::OtherElementwise, .data_inputs = 0};

}  // namespace

std::vector<OperatorDef> bit_operators() {
  return {
      {"BitCast", {.data_inputs = 0}, make_bit_cast, 26, LayoutNeed::Same},
      {"BitwiseAnd", kBits, make_bitwise<BitFunction::And>, 18, LayoutNeed::Any},
      {"BitwiseOr", kBits, make_bitwise<BitFunction::Or>, 18, LayoutNeed::Any},
      {"BitwiseXor", kBits, make_bitwise<BitFunction::Xor>, 18, LayoutNeed::Any},
      {"BitwiseNot", kBits, stateless<run_bitwise_not>, 18, LayoutNeed::Same},
      {"BitShift", kBits, make_shift, 11, LayoutNeed::Any},
  };
}

}  // namespace detent
