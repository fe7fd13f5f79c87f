#include "model/tensor_proto.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

namespace {

DataType target_type(const Node& node) { return data_type_from_onnx(static_cast<int32_t>(node.int_or("to", 0))); }

/// The same bits read as another type of the same size.
std::unique_ptr<Kernel> make_bit_cast(const KernelContext& context) {
  return kernel_of([type = target_type(context.node)](KernelCall& call) {
    const DataType given = call.input(0).type();
    if (byte_size(given) != byte_size(type))
      throw Error(ErrorCode::InvalidModel, "the bits of " + std::string(name_of(given)) + " cannot be read as " +
                                               std::string(name_of(type)) + ", which is of another size");
    call.set_output(0, call.input(0).reinterpreted(type));
  });
}

std::optional<Unsupported> refuse_type(const KernelContext& context) {
  const DataType type = target_type(context.node);
  if (type != DataType::Undefined && type != DataType::Int4 && type != DataType::UInt4) return std::nullopt;
  return Unsupported{"an output element type which Detent does not compute with"};
}

constexpr OperatorDef kDefinitions[] = {
    {.op_type = "BitCast",
     .traits = {.kind = OpKind::Cast, .data_inputs = 0},
     .make = make_bit_cast,
     .layout = LayoutNeed::Same,
     .first_opset = 26,
     .check = refuse_type},
};

}  // namespace

std::span<const OperatorDef> bit_cast_operators() { return kDefinitions; }

}  // namespace detent
