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

bool stands_between(const FloatDraft& draft, const Node& node) {
  const Graph& graph = draft.graph();
  const auto from_kept = [&](ValueId id) {
    if (!draft.is_float(id) || graph.value(id).is_constant) return true;
    return graph.value(id).producer != kNoNode && draft.is_kept(graph.value(id).producer);
  };
  const auto to_kept = [&](ValueId id) {
    if (id == kNoValue) return true;
    const Value& value = graph.value(id);
    return !value.is_output && std::ranges::all_of(value.uses, [&](const Use& use) { return draft.is_kept(use.node); });
  };
  return std::ranges::all_of(node.inputs, from_kept) && std::ranges::all_of(node.outputs, to_kept);
}

}  // namespace

void between(FloatDraft& draft) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Node& node : draft.graph().nodes()) {
      if (draft.is_kept(node.id) || !draft.concerns(node) || !only_moves(draft, node) || !stands_between(draft, node))
        continue;
      draft.keep({node.id, "between", kNoValue, 0, "it only moves elements between nodes that stay FP32"});
      changed = true;
    }
  }
}

}  // namespace detent::half
