#include "evaluate/activation_slope.h"

#include <algorithm>
#include <cmath>

#include "ops/self_gated.h"
#include "ops/traits.h"

namespace detent {

namespace {

/// The self-gated activation that alone reads a value: x * Sigmoid(x), or x * HardSigmoid(x) where that is HardSwish.
std::optional<ActivationBehind> self_gated(const Graph& graph, ValueId value, const std::vector<Use>& uses) {
  if (uses.size() != 2) return std::nullopt;
  for (const Use& use : uses) {
    const Node& product = graph.node(use.node);
    const auto gated = self_gated_activation(graph, product);
    if (!gated || gated->input != value || gated->kind == OpKind::OtherActivation) continue;
    const Value& gate = graph.value(graph.node(gated->gate).output(0));
    if (gate.uses.size() != 1 || gate.is_output) return std::nullopt;
    return ActivationBehind{value, product.output(0), ActivationSpec{gated->kind, 1}};
  }
  return std::nullopt;
}

}  // namespace

std::optional<ActivationBehind> activation_behind(const Graph& graph, ValueId value) {
  const Value& read = graph.value(value);
  if (read.is_output || read.uses.empty()) return std::nullopt;
  if (const auto gated = self_gated(graph, value, read.uses)) return gated;
  if (read.uses.size() != 1) return std::nullopt;
  const Node& reader = graph.node(read.uses[0].node);
  if (const auto spec = activation_of(graph, reader)) return ActivationBehind{value, reader.output(0), *spec};
  if (traits_of(graph, reader).kind != OpKind::Add) return std::nullopt;
  const auto behind = activation_behind(graph, reader.output(0));
  return behind && behind->before == reader.output(0) ? behind : std::nullopt;
}

std::vector<float> slopes(const ActivationSpec& activation, std::span<const float> x) {
  float largest = 0;
  for (const float one : x)
    if (std::isfinite(one)) largest = std::max(largest, std::abs(one));
  const float half = std::max(largest * 5e-4F, 1e-6F);
  std::vector<float> high(x.begin(), x.end()), low(x.begin(), x.end());
  for (float& one : high) one += half;
  for (float& one : low) one -= half;
  apply_activation(activation, high);
  apply_activation(activation, low);
  for (size_t i = 0; i < high.size(); ++i) high[i] = (high[i] - low[i]) / (2 * half);
  return high;
}

}  // namespace detent
