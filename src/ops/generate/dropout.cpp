#include <algorithm>

#include "ops/generate/random_stream.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

namespace {

/// The data passes, the optional mask is all true.
void pass(KernelCall& call) {
  call.set_output(0, call.input(0));
  if (!call.wants_output(1)) return;
  std::ranges::fill(
      call.make_output(1, DataType::Bool, call.input(0).shape(), call.input(0).layout()).mutable_data<bool>(), true);
}

/// Every element is dropped with probability `ratio`, the others grow so that the expected sum stays. In the order of the
/// plain layout, so that the same ones go in either.
void drop(KernelCall& call, double ratio, uint64_t seed) {
  if (!(ratio >= 0 && ratio < 1))
    throw Error(ErrorCode::InvalidData, "a ratio of " + std::to_string(ratio) + ", expected one in [0, 1)");
  const Tensor input = cast(to_plain(call.input(0), call.allocator()), DataType::Float64, call.allocator());
  Tensor kept(DataType::Bool, input.shape(), call.allocator()),
      output(DataType::Float64, input.shape(), call.allocator());
  RandomStream stream(seed);
  std::ranges::generate(kept.mutable_data<bool>(), [&] { return stream.uniform() >= ratio; });
  const auto in = input.data<double>();
  const auto mask = kept.data<bool>();
  auto out = output.mutable_data<double>();
  for (size_t i = 0; i < in.size(); ++i) out[i] = mask[i] ? in[i] / (1 - ratio) : 0;
  call.set_output(0, cast(output, call.input(0).type(), call.allocator()));
  call.set_output(1, std::move(kept));
}

/// Elements are dropped in training only; training is an input since opset 12, as is the ratio.
std::unique_ptr<Kernel> make_dropout(const KernelContext& context) {
  return kernel_of([seed = seed_of(context)](KernelCall& call) {
    if (!call.has_input(2) || scalar_of(call.input(2)) == 0) return pass(call);
    const double ratio = call.has_input(1) ? scalar_of(call.input(1)) : 0.5F;
    if (ratio == 0) return pass(call);
    drop(call, ratio, seed);
  });
}

constexpr OperatorDef kDropoutDefinitions[] = {
    {.op_type = "Dropout",
     .signature = "data -> output mask?; ratio:float | 12: data ratio? training_mode? -> output mask?; seed:int",
     .traits = {.kind = OpKind::Reshape, .commutes = true, .data_inputs = 1},
     .make = make_dropout,
     .first_opset = 7,
     .layout = LayoutNeed::Any},
};

}  // namespace

std::span<const OperatorDef> dropout_operators() { return kDropoutDefinitions; }

}  // namespace detent
