#include "evaluate/activation_slope.h"

#include <algorithm>
#include <cmath>

namespace detent {

namespace {

/// The product x * gate(x) that reads a value twice, with a plain Sigmoid or HardSigmoid as its gate.
std::optional<ActivationBehind> self_gated(const Graph& graph, ValueId value, const std::vector<Use>& uses) {
  for (const Use& use : uses) {
    const Node& gate = graph.node(use.node);
    const auto spec = activation_of(graph, gate);
    if (!spec || (spec->kind != OpKind::Sigmoid && spec->kind != OpKind::HardSigmoid)) continue;
    const Value& gated = graph.value(gate.output(0));
    if (gated.uses.size() != 1 || gated.is_output) return std::nullopt;
    for (const Use& other : uses)
      if (other.node != use.node &&
          (other.node != gated.uses[0].node || traits_of(graph, graph.node(other.node)).kind != OpKind::Mul))
        return std::nullopt;
    if (uses.size() != 2) return std::nullopt;
    const bool usual = std::abs(spec->alpha - 1.0F / 6) < 1e-5F && spec->beta == 0.5F;
    if (spec->kind == OpKind::HardSigmoid && !usual) return std::nullopt;
    const ActivationSpec product{spec->kind == OpKind::Sigmoid ? OpKind::Silu : OpKind::HardSwish, 1};
    return ActivationBehind{value, graph.node(gated.uses[0].node).output(0), product};
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
