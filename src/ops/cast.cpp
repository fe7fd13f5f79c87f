#include "model/tensor_proto.h"
#include "ops/half_precision.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

namespace {

void cast_to(KernelCall& call, DataType type) {
  const Tensor& input = call.input(0);
  call.set_output(0, input.type() == type ? input : convert(input, type, call.allocator()));
}

std::unique_ptr<Kernel> make_cast(const KernelContext& context) {
  const DataType type = data_type_from_onnx(static_cast<int32_t>(context.node.int_or("to", 0)));
  return kernel_of([type](KernelCall& call) { cast_to(call, type); });
}

std::unique_ptr<Kernel> make_cast_like(const KernelContext&) {
  return kernel_of([](KernelCall& call) { cast_to(call, call.input(1).type()); });
}

std::optional<Unsupported> refuse_type(const KernelContext& context) {
  const int64_t code = context.node.int_or("to", 0);
  if (data_type_from_onnx(static_cast<int32_t>(code)) != DataType::Undefined) return std::nullopt;
  return Unsupported{"casts to element type " + std::to_string(code) + " of ONNX, which Detent does not compute with"};
}

constexpr OpTraits kCast{.kind = OpKind::Cast, .data_inputs = 1};

constexpr OperatorDef kDefinitions[] = {
    {.op_type = "Cast",
     .traits = kCast,
     .make = make_cast,
     .layout = LayoutNeed::Same,
     .first_opset = 6,
     .check = refuse_type},
    {.op_type = "CastLike", .traits = kCast, .make = make_cast_like, .layout = LayoutNeed::Any},
};

}  // namespace

std::span<const OperatorDef> cast_operators() { return kDefinitions; }

}  // namespace detent
