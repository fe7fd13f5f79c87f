#include <algorithm>
#include <cmath>

#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

namespace {

/// uint8 over the range of the data widened to contain 0. Nothing but zeros -> scale 1.
void run_dynamic(KernelCall& call) {
  const Tensor input = call.input(0);
  const auto in = input.data<float>();
  float low = 0, high = 0;
  for (const float x : in) {
    low = std::min(low, x);
    high = std::max(high, x);
  }
  const float scale = high > low ? (high - low) / 255.0F : 1.0F;
  const float shift = -low / scale;  // NaN where the data reach to -infinity: no code is 0 then
  const float zero = std::isnan(shift) ? 0.0F : std::nearbyint(std::clamp(shift, 0.0F, 255.0F));
  auto out = call.make_output(0, DataType::UInt8, input.shape()).mutable_data<uint8_t>();
  for (size_t i = 0; i < in.size(); ++i) {
    const float x = std::nearbyint(in[i] / scale) + zero;
    out[i] = static_cast<uint8_t>(std::isnan(x) ? zero : std::clamp(x, 0.0F, 255.0F));
  }
  call.set_output(1, Tensor::scalar(scale));
  call.set_output(2, Tensor::scalar(static_cast<uint8_t>(zero)));
}

std::unique_ptr<Kernel> make_dynamic(const KernelContext&) { return kernel_of(run_dynamic); }

constexpr OperatorDef kDynamicQuantizeDefinitions[] = {
    {"DynamicQuantizeLinear", "x -> y y_scale y_zero_point", {.kind = OpKind::QOperator}, make_dynamic, 11},
};

}  // namespace

std::span<const OperatorDef> dynamic_quantize_operators() { return kDynamicQuantizeDefinitions; }

}  // namespace detent
