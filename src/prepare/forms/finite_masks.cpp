#include <algorithm>
#include <limits>

#include "prepare/forms/forms.h"

namespace detent::forms {

GraphPatch finite_masks(const Graph& graph) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity(), kHidden = -1e30F;
  GraphPatch patch;
  patch.reason = "write -inf in constants as a number";
  for (const Value& value : graph.values()) {
    const Tensor* constant = graph.constant(value.id);
    if (!constant || constant->type() != DataType::Float32) continue;
    const auto numbers = constant->data<float>();
    if (std::ranges::find(numbers, -kInfinity) == numbers.end()) continue;
    Tensor finite = constant->clone();
    std::ranges::replace(finite.mutable_data<float>(), -kInfinity, kHidden);
    patch.replace_constants.emplace_back(value.name, std::move(finite));
  }
  return patch;
}

}  // namespace detent::forms
