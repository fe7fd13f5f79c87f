#include "place/draft/gated_products.h"

#include "place/draft/flow.h"

namespace detent {
namespace {

// Longest branch: bias, activation of several nodes, copies.
constexpr int kLongestBranch = 12;

bool is_activated(OpKind kind) { return is_fusable_activation(kind) || kind == OpKind::Gelu || kind == OpKind::Tanh; }

bool multiplies_activations(const GraphFacts& facts, const Node& node) {
  return facts.kind(node.id) == OpKind::Mul && node.inputs.size() == 2 && node.inputs[0] && node.inputs[1] &&
         !facts.is_constant(node.inputs[0]) && !facts.is_constant(node.inputs[1]);
}

bool comes_from_product(const GraphFacts& facts, const PlacementDraft& draft, MaybeValue value) {
  for (int step = 0; step < kLongestBranch; ++step) {
    const Node* node = facts.producer(value);
    if (!node) return false;
    const OpKind kind = facts.kind(node->id);
    if (kind == OpKind::Gemm || kind == OpKind::MatMul) return facts.is_weighted(node->id);
    if (is_constant_affine(facts, node->id))
      value = varying_input(facts, node->id);
    else if (is_activated(kind) || commutes(facts, draft, node->id))
      value = facts.data_input(node->id);
    else if (const auto gated = gated_activation(facts, node->id))
      value = gated->input;
    else
      return false;
  }
  return false;
}

bool is_table_of_positions(const GraphFacts& facts, const PlacementDraft& draft, MaybeValue value) {
  for (int step = 0; step < kLongestBranch; ++step) {
    const Node* node = facts.producer(value);
    if (!node) return facts.is_constant(value);
    if (node->op_type == "Cos" || node->op_type == "Sin") return true;
    if (facts.kind(node->id) != OpKind::Cast && !commutes(facts, draft, node->id)) return false;
    value = node->input(0);
  }
  return false;
}

}  // namespace

bool is_gate_of_mlp(const GraphFacts& facts, const PlacementDraft& draft, const Node& node) {
  return multiplies_activations(facts, node) && !gated_activation(facts, node.id) &&
         comes_from_product(facts, draft, node.inputs[0]) && comes_from_product(facts, draft, node.inputs[1]);
}

bool is_rotation(const GraphFacts& facts, const PlacementDraft& draft, const Node& node) {
  return multiplies_activations(facts, node) &&
         (is_table_of_positions(facts, draft, node.inputs[0]) || is_table_of_positions(facts, draft, node.inputs[1]));
}

}  // namespace detent
