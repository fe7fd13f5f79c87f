#include <algorithm>
#include <limits>

#include "ops/op_kind.h"
#include "ops/traits.h"
#include "prepare/forms/forms.h"

namespace detent::forms {

namespace {

/// True for a weight or a table, which is large and holds no masks.
bool is_multiplied_or_gathered(const Graph& graph, const Value& value) {
  return std::ranges::any_of(value.uses, [&](const Use& use) {
    const OpKind kind = traits_of(graph, graph.node(use.node)).kind;
    return kind == OpKind::Conv || kind == OpKind::ConvTranspose || kind == OpKind::Gemm || kind == OpKind::MatMul ||
           kind == OpKind::Gather;
  });
}

}  // namespace

GraphPatch finite_masks(const Graph& graph) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity(), kHidden = -1e30F;
  GraphPatch patch;
  patch.reason = "write -inf in constants as a number";
  for (const Value& value : graph.values()) {
    const Tensor* constant = graph.constant(value.id);
    if (!constant || constant->type() != DataType::Float32 || is_multiplied_or_gathered(graph, value)) continue;
    const auto numbers = constant->data<float>();
    if (std::ranges::find(numbers, -kInfinity) == numbers.end()) continue;
    Tensor finite = constant->clone();
    std::ranges::replace(finite.mutable_data<float>(), -kInfinity, kHidden);
    patch.replace_constants.emplace_back(value.name, std::move(finite));
  }
  return patch;
}

}  // namespace detent::forms
