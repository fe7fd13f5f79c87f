// CausalConvWithState: a depthwise convolution over time that carries its last inputs from call to call.

#include <algorithm>
#include <vector>

#include "core/index.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/simd/elementwise.h"
#include "ops/types/float_types.h"

namespace detent {

namespace {

void check_shapes(const KernelCall& call) {
  const Shape &input = call.input(0).shape(), &weight = call.input(1).shape();
  if (input.rank() != 3 || weight.rank() != 3 || weight[0] != input[1] || weight[1] != 1 || weight[2] < 1)
    throw Error(ErrorCode::InvalidData, "an input of shape " + input.to_string() + " and a weight of shape " +
                                            weight.to_string() + ", expected BxCxL and Cx1xK");
  if (call.has_input(2) && call.input(2).shape() != Shape{input[1]})
    throw Error(ErrorCode::InvalidData, "a bias of shape " + call.input(2).shape().to_string() + " for " +
                                            std::to_string(input[1]) + " channels");
  if (call.has_input(3) && call.input(3).shape() != Shape{input[0], input[1], weight[2] - 1})
    throw Error(ErrorCode::InvalidData, "a past state of shape " + call.input(3).shape().to_string() + " for " +
                                            std::to_string(weight[2]) + " taps");
}

void run_causal_conv(KernelCall& call, bool silu) {
  check_shapes(call);
  const Shape shape = call.input(0).shape();
  const int64_t taps = call.input(1).shape()[2], carried = taps - 1, length = shape[2];
  const float* in = call.input(0).data<float>().data();
  const float* past = call.has_input(3) ? call.input(3).data<float>().data() : nullptr;
  Tensor output(DataType::Float32, shape, call.allocator());
  Tensor state(DataType::Float32, Shape{shape[0], shape[1], carried}, call.allocator());
  float* out = output.mutable_data<float>().data();
  float* present = state.mutable_data<float>().data();
  std::vector<float> line(as_index(carried + length));  // one channel with its past in front
  for (int64_t i = 0; i < shape[0] * shape[1]; ++i, in += length, out += length, present += carried) {
    const int64_t channel = i % shape[1];
    if (past)
      std::copy_n(past + i * carried, carried, line.begin());
    else
      std::fill_n(line.begin(), carried, 0.0F);
    std::copy_n(in, length, line.begin() + carried);
    const float* weight = call.input(1).data<float>().data() + channel * taps;
    std::fill_n(out, length, call.has_input(2) ? call.input(2).data<float>()[as_index(channel)] : 0.0F);
    for (int64_t k = 0; k < taps; ++k)
      for (int64_t t = 0; t < length; ++t) out[t] += weight[k] * line[as_index(t + k)];
    std::copy_n(line.end() - carried, carried, present);
  }
  const auto all = output.mutable_data<float>();
  if (silu) apply_unary({UnaryFunction::Silu, 1}, all.data(), all.data(), all.size());
  call.set_output(0, std::move(output));
  call.set_output(1, std::move(state));
}

bool applies_silu(const Node& node) {
  constexpr Named<bool> kActivations[] = {{"none", false}, {"silu", true}, {"swish", true}};
  return value_named(node, "activation", "none", kActivations);
}

}  // namespace

std::vector<OperatorDef> causal_conv_operators() {
  return {
      {"CausalConvWithState", {.data_inputs = 1}, with_half<make_with<applies_silu, run_causal_conv>>, 27},
  };
}

}  // namespace detent
