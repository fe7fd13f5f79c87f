#include "ops/types/half_precision.h"

#include <algorithm>
#include <vector>

#include "core/float_type.h"
#include "core/index.h"
#include "ops/kernel_function.h"
#include "ops/simd/half.h"

namespace detent {

namespace {

Tensor widened(const Tensor& tensor, Allocator& allocator) {
  return is_half(tensor.type()) ? convert(tensor, DataType::Float32, allocator) : tensor;
}

void run_widened(const Kernel& kernel, KernelCall& call, DataType half) {
  std::vector<Tensor> inputs(call.input_count()), outputs(call.output_count()), residuals;
  for (size_t i = 0; i < inputs.size(); ++i) inputs[i] = widened(call.input(i), call.allocator());
  for (const Tensor& residual : call.residuals()) residuals.push_back(widened(residual, call.allocator()));
  KernelCall wide(inputs, outputs, residuals, call.allocator(), call.workspace());
  kernel.run(wide);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].type() == DataType::Float32) outputs[i] = convert(outputs[i], half, call.allocator());
    call.set_output(i, std::move(outputs[i]));
  }
}

}  // namespace

Tensor convert(const Tensor& tensor, DataType type, Allocator& allocator) {
  const bool widens = tensor.type() == DataType::Float16 && type == DataType::Float32;
  const bool narrows = tensor.type() == DataType::Float32 && type == DataType::Float16;
  if (!widens && !narrows) return cast(tensor, type, allocator);
  Tensor result(type, tensor.shape(), allocator, tensor.layout());
  const auto count = as_index(tensor.element_count());
  if (widens)
    halves_to_floats(static_cast<const uint16_t*>(tensor.raw()), result.mutable_data<float>().data(), count);
  else
    floats_to_halves(tensor.data<float>().data(), static_cast<uint16_t*>(result.mutable_raw()), count);
  return result;
}

std::unique_ptr<Kernel> widen_half(std::unique_ptr<Kernel> kernel) {
  return kernel_of([inner = std::move(kernel)](KernelCall& call) {
    for (size_t i = 0; i < call.input_count(); ++i)
      if (is_half(call.input(i).type())) return run_widened(*inner, call, call.input(i).type());
    inner->run(call);
  });
}

}  // namespace detent
