#include "ops/self_gated.h"

#include <cmath>

namespace detent {

namespace {

OpKind product_kind(const Node& gate, OpKind kind) {
  if (kind == OpKind::Sigmoid) return OpKind::Silu;
  constexpr float kTolerance = 1e-6F;
  const bool usual = std::abs(gate.float_or("alpha", 0.2F) - 1.0F / 6) < kTolerance &&
                     std::abs(gate.float_or("beta", 0.5F) - 0.5F) < kTolerance;
  return usual ? OpKind::HardSwish : OpKind::OtherActivation;
}

bool read_once(const Graph& graph, ValueId value) {
  const Value& read = graph.value(value);
  return !read.is_output && read.uses.size() == 1 && read.uses.front().slot >= 0;
}

/// The input that varies of an Add, Sub, Mul or Div of it and a constant; kNoValue for other nodes.
ValueId affine_input(const Graph& graph, const Node& node, OpKind kind) {
  const bool fits = kind == OpKind::Add || kind == OpKind::Sub || kind == OpKind::Mul || kind == OpKind::Div;
  if (!fits || node.inputs.size() != 2 || node.inputs[0] == kNoValue || node.inputs[1] == kNoValue) return kNoValue;
  const bool first = graph.value(node.inputs[0]).is_constant, second = graph.value(node.inputs[1]).is_constant;
  if (first == second || (first && kind == OpKind::Div)) return kNoValue;  // c / x bends
  return node.inputs[first ? 1 : 0];
}

/// The first node of a Clip and constant affine steps that compute `value` from `x`; kNoNode when there are none.
NodeId find_clip_gate(const Graph& graph, ValueId value, ValueId x) {
  constexpr int kLongestGate = 4;  // Add, Clip, Div and one more scale
  bool clips = false;
  for (int step = 0; step < kLongestGate && value != kNoValue && read_once(graph, value); ++step) {
    const Node* node = graph.producer(value);
    if (!node) return kNoNode;
    const OpKind kind = traits_of(graph, *node).kind;
    clips = clips || kind == OpKind::Clip;
    value = kind == OpKind::Clip ? node->input(0) : affine_input(graph, *node, kind);
    if (value == x) return clips ? node->id : kNoNode;
  }
  return kNoNode;
}

}  // namespace

std::optional<SelfGatedActivation> self_gated_activation(const Graph& graph, const Node& product) {
  using Gate = SelfGatedActivation::Gate;
  if (product.inputs.size() != 2 || traits_of(graph, product).kind != OpKind::Mul) return std::nullopt;
  for (const size_t side : {size_t{0}, size_t{1}}) {
    const ValueId gated = product.inputs[side], x = product.inputs[1 - side];
    const Node* gate = gated == kNoValue || x == kNoValue ? nullptr : graph.producer(gated);
    if (!gate) continue;
    const OpKind kind = traits_of(graph, *gate).kind;
    if (kind == OpKind::Sigmoid || kind == OpKind::HardSigmoid) {
      if (gate->input(0) != x) continue;
      const Gate form = kind == OpKind::Sigmoid ? Gate::Sigmoid : Gate::HardSigmoid;
      return SelfGatedActivation{form, product_kind(*gate, kind), x, gate->id, product.id};
    }
    if (const NodeId first = find_clip_gate(graph, gated, x); first != kNoNode)
      return SelfGatedActivation{Gate::Clip, OpKind::OtherActivation, x, first, product.id};
  }
  return std::nullopt;
}

}  // namespace detent
