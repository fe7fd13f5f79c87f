#include "model/graph/tensor_proto.h"
#include "ops/kernel_function.h"
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

constexpr OperatorDef kBitCastDefinitions[] = {
    {.op_type = "BitCast",
     .signature = "input -> output; to:int!",
     .traits = {.data_inputs = 0},
     .make = make_bit_cast,
     .first_opset = 26,
     .layout = LayoutNeed::Same,
     .check = refuse_bit_cast_type},
};

}  // namespace

std::span<const OperatorDef> bit_cast_operators() { return kBitCastDefinitions; }

}  // namespace detent
