#include "ops/float_only.h"

#include <vector>

#include "ops/kernel_function.h"

namespace detent {

namespace {

Tensor narrowed(const Tensor& tensor, Allocator& allocator) {
  return tensor.type() == DataType::Float64 ? cast(tensor, DataType::Float32, allocator) : tensor;
}

void run_narrowed(const Kernel& kernel, KernelCall& call) {
  std::vector<Tensor> inputs(call.input_count()), outputs(call.output_count()), residuals;
  for (size_t i = 0; i < inputs.size(); ++i) inputs[i] = narrowed(call.input(i), call.allocator());
  for (const Tensor& residual : call.residuals()) residuals.push_back(narrowed(residual, call.allocator()));
  KernelCall narrow(inputs, outputs, residuals, call.allocator(), call.workspace());
  kernel.run(narrow);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const bool back = outputs[i].type() == DataType::Float32;
    call.set_output(i, back ? cast(outputs[i], DataType::Float64, call.allocator()) : std::move(outputs[i]));
  }
}

}  // namespace

std::unique_ptr<Kernel> narrow_double(std::unique_ptr<Kernel> kernel) {
  return kernel_of([inner = std::move(kernel)](KernelCall& call) {
    for (size_t i = 0; i < call.input_count(); ++i)
      if (call.input(i).type() == DataType::Float64) return run_narrowed(*inner, call);
    inner->run(call);
  });
}

}  // namespace detent
