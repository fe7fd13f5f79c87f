#include <algorithm>

#include "core/float_type.h"
#include "model/name_source.h"
#include "prepare/forms/forms.h"

namespace detent::forms {

namespace {

constexpr int kWeight = 1, kBias = 2;

Tensor scaled(const Tensor& numbers, float factor) {
  const Tensor wide = cast(numbers, DataType::Float32);
  Tensor result(DataType::Float32, numbers.shape());
  std::ranges::transform(wide.data<float>(), result.mutable_data<float>().begin(),
                         [&](float number) { return number * factor; });
  return cast(result, numbers.type());
}

}  // namespace

GraphPatch plain_gemm(const Graph& graph) {
  GraphPatch patch;
  patch.reason = "multiply constants of a Gemm by alpha and beta";
  NameSource names(graph);
  for (const Node& node : graph.nodes()) {
    if (node.op_type != "Gemm" || !node.domain.empty()) continue;
    const float alpha = node.float_or("alpha", 1.0F), beta = node.input(kBias) ? node.float_or("beta", 1.0F) : 1.0F;
    const auto is_fit = [&](int slot, float factor) {
      const Tensor* numbers = graph.constant(node.input(slot));
      return factor == 1.0F || (numbers && is_floating_point(numbers->type()));
    };
    if ((alpha == 1.0F && beta == 1.0F) || !is_fit(kWeight, alpha) || !is_fit(kBias, beta)) continue;
    const auto multiply = [&](int slot, float factor) {
      if (factor == 1.0F) return;
      const std::string name = names.fresh(graph.value(*node.input(slot)).name + "_scaled");
      patch.add_initializers.emplace_back(name, scaled(*graph.constant(node.input(slot)), factor));
      patch.rewire.push_back({node.name, slot, name});
    };
    multiply(kWeight, alpha);
    multiply(kBias, beta);
    for (const char* factor : {"alpha", "beta"})
      if (node.has(factor)) patch.remove_attributes.emplace_back(node.name, factor);
  }
  return patch;
}

}  // namespace detent::forms
