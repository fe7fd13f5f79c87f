#include "model/graph/tensor_proto.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/float_types.h"

namespace detent {

namespace {

CastOptions cast_options(const Node& node) {
  using Rounding = CastOptions::Rounding;
  const std::string rounding = node.string_or("round_mode", "up");
  return {.saturate = node.int_or("saturate", 1) != 0,
          .power_rounding = rounding == "down"      ? Rounding::Down
                            : rounding == "nearest" ? Rounding::Nearest
                                                    : Rounding::Up};
}

void cast_to(KernelCall& call, DataType type, const CastOptions& options) {
  const Tensor& input = call.input(0);
  if (input.type() == type) return call.set_output(0, input);
  call.set_output(
      0, is_small_float(type) ? cast(input, type, call.allocator(), options) : convert(input, type, call.allocator()));
}

std::unique_ptr<Kernel> make_cast(const KernelContext& context) {
  const DataType type = data_type_from_onnx(context.node.int_or("to", 0));
  return kernel_of([type, options = cast_options(context.node)](KernelCall& call) { cast_to(call, type, options); });
}

std::unique_ptr<Kernel> make_cast_like(const KernelContext& context) {
  return kernel_of(
      [options = cast_options(context.node)](KernelCall& call) { cast_to(call, call.input(1).type(), options); });
}

std::optional<Unsupported> refuse_rounding(const KernelContext& context) {
  const std::string rounding = context.node.string_or("round_mode", "up");
  if (rounding == "up" || rounding == "down" || rounding == "nearest") return std::nullopt;
  return Unsupported{"round_mode '" + rounding + "'"};
}

constexpr OpTraits kCast{.kind = OpKind::Cast, .data_inputs = 1};

}  // namespace

std::vector<OperatorDef> cast_operators() {
  return {
      {"Cast", kCast, make_cast, 6, LayoutNeed::Same, refuse_rounding},
      {"CastLike", kCast, make_cast_like, 1, LayoutNeed::Any},
  };
}

}  // namespace detent
