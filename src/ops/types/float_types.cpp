#include "ops/types/float_types.h"

#include <algorithm>
#include <vector>

#include "core/float_type.h"
#include "core/index.h"
#include "ops/kernel_function.h"
#include "ops/simd/half.h"

namespace detent {

namespace {

bool is_double(DataType type) { return type == DataType::Float64; }

/// Runs `kernel` with inputs for which `is_other` holds as float; float outputs become `type`.
template <bool (*is_other)(DataType)>
void run_converted(const Kernel& kernel, KernelCall& call, DataType type) {
  const auto as_float = [&](const Tensor& tensor) {
    return is_other(tensor.type()) ? convert(tensor, DataType::Float32, call.allocator()) : tensor;
  };
  std::vector<Tensor> inputs(call.input_count()), outputs(call.output_count()), residuals;
  for (size_t i = 0; i < inputs.size(); ++i) inputs[i] = as_float(call.input(i));
  for (const Tensor& residual : call.residuals()) residuals.push_back(as_float(residual));
  KernelCall floats(inputs, outputs, residuals, call.allocator(), call.workspace());
  kernel.run(floats);
  for (size_t i = 0; i < outputs.size(); ++i)
    call.set_output(i, outputs[i].type() == DataType::Float32 ? convert(outputs[i], type, call.allocator())
                                                              : std::move(outputs[i]));
}

/// Returns `kernel` behind a cast of inputs for which `is_other` holds; the type of the first one is that of float
/// outputs.
template <bool (*is_other)(DataType)>
std::unique_ptr<Kernel> convert_inputs(std::unique_ptr<Kernel> kernel) {
  return kernel_of([inner = std::move(kernel)](KernelCall& call) {
    for (size_t i = 0; i < call.input_count(); ++i)
      if (const DataType type = call.input(i).type(); is_other(type))
        return run_converted<is_other>(*inner, call, type);
    inner->run(call);
  });
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
  return convert_inputs<is_half>(std::move(kernel));
}

std::unique_ptr<Kernel> narrow_double(std::unique_ptr<Kernel> kernel) {
  return convert_inputs<is_double>(std::move(kernel));
}

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

}  // namespace detent
