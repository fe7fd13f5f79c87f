#include "exec/step_work.h"

namespace detent {

StepWork work_of(const Step& step, std::span<const Tensor> inputs) {
  if (step.weight_axis == WeightAxis::None || inputs.size() < 2) return {};
  const Shape &data = inputs[0].shape(), &weight = inputs[1].shape();
  if (data.rank() == 0 || weight.rank() == 0) return {};
  const auto count = [](int64_t elements) { return static_cast<double>(elements); };
  switch (step.weight_axis) {
    case WeightAxis::First:  // weights [OC, IC/group, kernel...]
      return {.each = count(weight.element_count(1, weight.rank()))};
    case WeightAxis::Second:  // every input element meets its channel's weights [IC, OC/group, kernel...]
      return {.fixed = count(data.element_count()) * count(weight.element_count(1, weight.rank()))};
    case WeightAxis::GemmOutput: return {.each = count(weight[step.transposed_weight ? weight.rank() - 1 : 0])};
    default: return {.each = count(data[data.rank() - 1])};
  }
}

}  // namespace detent
