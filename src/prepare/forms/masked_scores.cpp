#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "prepare/forms/form_patch.h"
#include "prepare/forms/forms.h"

namespace detent::forms {

namespace {

constexpr size_t kMostScoreNodes = 8;  // between the product and the Softmax: a scale and copies
constexpr std::array<std::string_view, 6> kPassed{"Mul", "Div", "Reshape", "Squeeze", "Unsqueeze", "Identity"};

bool is(const Node* node, std::string_view op) { return node && node->domain.empty() && node->op_type == op; }

/// True for a product of two values of which none is a constant.
bool multiplies_values(const Graph& graph, const Node* node) {
  return is(node, "MatMul") &&
         std::ranges::none_of(node->inputs, [&](MaybeValue input) { return !input || graph.constant(input); });
}

/// True for a value that comes from a product of values by way of scales and copies, to which nothing is added.
bool are_plain_scores(const Graph& graph, MaybeValue value) {
  const Node* node = graph.producer(value);
  for (size_t i = 0; node && i < kMostScoreNodes; ++i) {
    if (multiplies_values(graph, node)) return true;
    if (std::ranges::none_of(kPassed, [&](std::string_view op) { return is(node, op); })) return false;
    const bool second = node->op_type == "Mul" && graph.constant(node->input(0));
    node = graph.producer(node->input(second ? 1 : 0));
  }
  return false;
}

/// True for a Softmax over the last axis, between two products of values, of scores without a mask.
bool lacks_mask(const Graph& graph, const Node& node) {
  constexpr int64_t kLastOfHeads = 3;
  const int64_t axis = node.int_or("axis", -1);
  if (!is(&node, "Softmax") || !node.output(0) || (axis != -1 && axis != kLastOfHeads)) return false;
  const Value& shares = graph.value(*node.output(0));
  const bool multiplied = std::ranges::any_of(
      shares.uses, [&](const Use& use) { return use.slot == 0 && multiplies_values(graph, &graph.node(use.node)); });
  return multiplied && are_plain_scores(graph, node.input(0));
}

}  // namespace

GraphPatch masked_scores(const Graph& graph) {
  constexpr std::array<float, 1> kNoMask{0.0F};
  FormPatch patch(graph, "add a mask of zeros to scores of attention");
  for (const Node& node : graph.nodes()) {
    if (!lacks_mask(graph, node)) continue;
    const std::string masked = patch.fresh(node, "masked");
    const std::string zeros = patch.constant(node, "mask", Tensor::from<float>({1}, std::span<const float>(kNoMask)));
    patch.add({"Add", masked, {patch.name_of(node.input(0)), zeros}, {masked}, {}, ""});
    patch.rewire(node, 0, masked);
  }
  return patch.take();
}

}  // namespace detent::forms
