#include "ops/types/float_only.h"

#include <algorithm>
#include <vector>

#include "core/float_type.h"
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

void run_in_float(KernelCall& call, std::span<const DataType> types, const std::function<void(KernelCall&)>& body) {
  const auto is_other_float = [](DataType type) { return is_half(type) || type == DataType::Float64; };
  std::vector<Tensor> inputs(call.input_count()), outputs(call.output_count());
  bool untouched = std::ranges::none_of(types, is_other_float);
  for (size_t i = 0; i < inputs.size(); ++i) untouched = untouched && !is_other_float(call.input(i).type());
  if (untouched) return body(call);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& input = call.input(i);
    inputs[i] = is_other_float(input.type()) ? convert(input, DataType::Float32, call.allocator()) : input;
  }
  KernelCall floats(inputs, outputs, {}, call.allocator(), call.workspace());
  body(floats);
  for (size_t i = 0; i < std::min(outputs.size(), types.size()); ++i)
    if (!outputs[i].empty_handle()) call.set_output(i, convert(outputs[i], types[i], call.allocator()));
}

std::unique_ptr<Kernel> narrow_double(std::unique_ptr<Kernel> kernel) {
  return kernel_of([inner = std::move(kernel)](KernelCall& call) {
    for (size_t i = 0; i < call.input_count(); ++i)
      if (call.input(i).type() == DataType::Float64) return run_narrowed(*inner, call);
    inner->run(call);
  });
}

}  // namespace detent
