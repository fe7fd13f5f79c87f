#include <algorithm>

#include "half/float_rules.h"
#include "ops/traits.h"

namespace detent::half {
namespace {

bool only_moves(const FloatDraft& draft, const Node& node) {
  switch (draft.kind(node)) {
    case OpKind::Reshape:
    case OpKind::Transpose:
    case OpKind::Slice:
    case OpKind::Split:
    case OpKind::Concat:
    case OpKind::Expand:
    case OpKind::Tile:
    case OpKind::DepthToSpace:
    case OpKind::SpaceToDepth: return true;
    default: return false;
  }
}

/// True when a node next to the copy stays FP32, or is a pair's, which takes the type of the copy. `kept` counts the
/// former.
bool allows(const FloatDraft& draft, MaybeNode node, OpKind end_of_pair, size_t& kept) {
  if (!node) return false;
  if (!draft.is_kept(*node)) return draft.kind(draft.graph().node(*node)) == end_of_pair;
  ++kept;
  return true;
}

bool stands_between(const FloatDraft& draft, const Node& node) {
  const Graph& graph = draft.graph();
  size_t kept = 0;
  const auto from_kept = [&](ValueId id) {
    if (!draft.is_float(id) || graph.value(id).is_constant) return true;
    return allows(draft, graph.value(id).producer, OpKind::DequantizeLinear, kept);
  };
  const auto to_kept = [&](ValueId id) {
    const Value& value = graph.value(id);
    return !value.is_output && std::ranges::all_of(value.uses, [&](const Use& use) {
      return allows(draft, use.node, OpKind::QuantizeLinear, kept);
    });
  };
  return std::ranges::all_of(present(node.inputs), from_kept) && std::ranges::all_of(present(node.outputs), to_kept) &&
         kept > 0;
}

/// True when QuantizeLinear alone reads the value, or an activation whose output QuantizeLinear alone reads.
bool enters_pairs(const FloatDraft& draft, MaybeValue id, bool behind_activation = false) {
  if (!id) return false;
  const Value& value = draft.graph().value(*id);
  return !value.is_output && !value.uses.empty() && std::ranges::all_of(value.uses, [&](const Use& use) {
    const Node& reader = draft.graph().node(use.node);
    const OpKind kind = draft.kind(reader);
    return kind == OpKind::QuantizeLinear ||
           (!behind_activation && is_activation(kind) && enters_pairs(draft, reader.output(0), true));
  });
}

/// True for a weighted layer that reads only pairs, and for another operator between pairs.
bool is_layer_of_pairs(const FloatDraft& draft, const Node& node) {
  const Graph& graph = draft.graph();
  const auto is_paired = [&](ValueId id) {
    if (!draft.is_float(id) || graph.value(id).is_constant) return true;
    const Node* maker = graph.producer(id);
    return maker && draft.kind(*maker) == OpKind::DequantizeLinear;
  };
  const OpTraits& traits = traits_of(graph, node);
  if (!node.input(0)) return false;
  return (traits.weight_slot >= 0 || enters_pairs(draft, node.output(0))) && !graph.value(*node.input(0)).is_constant &&
         std::ranges::all_of(present(node.inputs), is_paired);
}

/// Keeps layers between pairs with FP32 scales: a Cast beside the layer would end its integer kernel.
void keep_layers_of_pairs(FloatDraft& draft) {
  for (const Node& node : draft.graph().nodes())
    if (is_layer_of_pairs(draft, node))
      draft.keep({node.id, "between", kNoValue, 0, "it computes between pairs with FP32 scales"});
}

}  // namespace

void between(FloatDraft& draft) {
  const bool half_scales = draft.format().half_scales;
  if (!half_scales) keep_layers_of_pairs(draft);
  for (bool changed = true; changed;) {
    changed = false;
    for (const Node& node : draft.graph().nodes()) {
      if (draft.is_kept(node.id) || !draft.concerns(node) || (half_scales && !only_moves(draft, node)) ||
          !stands_between(draft, node))
        continue;
      draft.keep({node.id, "between", kNoValue, 0,
                  only_moves(draft, node) ? "it only moves elements between nodes that stay FP32"
                                          : "it computes between pairs with FP32 scales"});
      changed = true;
    }
  }
}

}  // namespace detent::half
