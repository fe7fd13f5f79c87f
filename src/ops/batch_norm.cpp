#include <cmath>

#include "ops/float_only.h"
#include "ops/kernel_function.h"
#include "ops/memory_order.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/simd_elementwise.h"

namespace detent {

namespace {

/// Scale, bias, mean and variance as one factor and one offset a channel.
struct Affine {
  std::vector<float> scale, shift;
};

Affine affine_of(const KernelCall& call, float epsilon, int64_t channels) {
  Tensor parameters[4];
  for (size_t i = 0; i < 4; ++i) {
    parameters[i] = cast(call.input(i + 1), DataType::Float32);
    if (parameters[i].element_count() != channels)
      throw Error(ErrorCode::InvalidModel, "input " + std::to_string(i + 1) + " has shape " +
                                               parameters[i].shape().to_string() + ", expected " +
                                               std::to_string(channels) + " channels");
  }
  Affine affine{std::vector<float>(static_cast<size_t>(channels)), std::vector<float>(static_cast<size_t>(channels))};
  for (size_t c = 0; c < affine.scale.size(); ++c) {
    affine.scale[c] = parameters[0].data<float>()[c] / std::sqrt(parameters[3].data<float>()[c] + epsilon);
    affine.shift[c] = parameters[1].data<float>()[c] - parameters[2].data<float>()[c] * affine.scale[c];
  }
  return affine;
}

std::unique_ptr<Kernel> make_batch_norm(const KernelContext& context) {
  return kernel_of([epsilon = context.node.float_or("epsilon", 1e-5F)](KernelCall& call) {
    const Shape shape = call.input(0).shape();
    if (shape.rank() < 2)
      throw Error(ErrorCode::InvalidData, "input of shape " + shape.to_string() + " has no channel axis");
    const Affine affine = affine_of(call, epsilon, shape[1]);
    const AxisView view = view_around(shape, call.input(0).layout(), 1);
    float* out = call.make_output_like(0, 0).mutable_data<float>().data();
    apply_channel_affine(call.input(0).data<float>().data(), out, affine.scale.data(), affine.shift.data(), view.outer,
                         view.extent, view.inner);
  });
}

std::optional<Unsupported> refuse_training(const KernelContext& context) {
  if (context.node.int_or("training_mode", 0) != 0)
    return Unsupported{"training_mode=1; export the model for inference"};
  if (context.node.int_or("spatial", 1) == 0) return Unsupported{"attribute spatial=0"};
  return std::nullopt;
}

constexpr OperatorDef kDefinitions[] = {
    {.op_type = "BatchNormalization",
     .traits = {.kind = OpKind::BatchNorm, .data_inputs = 1},
     .make = with_float<make_batch_norm>,
     .layout = LayoutNeed::Any,
     .first_opset = 7,
     .check = refuse_training},
};

}  // namespace

std::span<const OperatorDef> batch_norm_operators() { return kDefinitions; }

}  // namespace detent
