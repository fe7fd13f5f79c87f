#include "place/draft/gated_products.h"

#include "place/draft/flow.h"

namespace detent {
namespace {

// Longest branch: bias, activation of several nodes, copies.
constexpr int kLongestBranch = 12;

bool is_activated(OpKind kind) { return is_fusable_activation(kind) || kind == OpKind::Gelu || kind == OpKind::Tanh; }

bool multiplies_activations(const PlacementDraft& draft, const Node& node) {
  return draft.kind(node.id) == OpKind::Mul && node.inputs.size() == 2 && node.inputs[0] && node.inputs[1] &&
         !draft.is_constant(node.inputs[0]) && !draft.is_constant(node.inputs[1]);
}

bool comes_from_product(const PlacementDraft& draft, MaybeValue value) {
  for (int step = 0; step < kLongestBranch; ++step) {
    const Node* node = draft.producer(value);
    if (!node) return false;
    const OpKind kind = draft.kind(node->id);
    if (kind == OpKind::Gemm || kind == OpKind::MatMul) return draft.is_weighted(node->id);
    if (is_constant_affine(draft, node->id))
      value = varying_input(draft, node->id);
    else if (is_activated(kind) || commutes(draft, node->id))
      value = draft.data_input(node->id);
    else if (const auto gated = gated_activation(draft, node->id))
      value = gated->input;
    else
      return false;
  }
  return false;
}

bool is_table_of_positions(const PlacementDraft& draft, MaybeValue value) {
  for (int step = 0; step < kLongestBranch; ++step) {
    const Node* node = draft.producer(value);
    if (!node) return draft.is_constant(value);
    if (node->op_type == "Cos" || node->op_type == "Sin") return true;
    if (draft.kind(node->id) != OpKind::Cast && !commutes(draft, node->id)) return false;
    value = node->input(0);
  }
  return false;
}

}  // namespace

bool is_gate_of_mlp(const PlacementDraft& draft, const Node& node) {
  return multiplies_activations(draft, node) && !gated_activation(draft, node.id) &&
         comes_from_product(draft, node.inputs[0]) && comes_from_product(draft, node.inputs[1]);
}

bool is_rotation(const PlacementDraft& draft, const Node& node) {
  return multiplies_activations(draft, node) &&
         (is_table_of_positions(draft, node.inputs[0]) || is_table_of_positions(draft, node.inputs[1]));
}

}  // namespace detent
