#include "place/draft/decoding.h"

#include <algorithm>
#include <ranges>

#include "place/draft/flow.h"

namespace detent {
namespace {

/// Returns for each node whether all paths from its outputs reach the end: a reading that `leaves` is no such path,
/// one that `ends` is its end. All nodes at once, against execution order: otherwise a chain of copies would be walked
/// for each of them.
template <class Leaves, class Ends>
NodeMap<bool> nodes_before_end(const PlacementDraft& draft, const Leaves& leaves, const Ends& ends) {
  const Graph& graph = draft.facts().graph();
  NodeMap<bool> before;
  before.assign(graph.nodes().size(), true);
  for (const Node& node : graph.nodes() | std::views::reverse) {
    if (draft.is_forced(node.id)) before[node.id] = false;
    for (const ValueId output : present(node.outputs)) {
      const Value& value = graph.value(output);
      const auto stops = [&](const Use& use) { return !ends(use) && (leaves(use) || !before[use.node]); };
      if ((value.is_output && draft.options().quantize_outputs) || std::ranges::any_of(value.uses, stops))
        before[node.id] = false;
    }
  }
  return before;
}

bool tells_places(const GraphFacts& facts, const Use& use) {
  const std::string& op_type = facts.node(use.node).op_type;
  return (op_type == "GridSample" && use.slot == 1) ||
         (op_type == "DeformConv" && (use.slot == 2 || use.slot == 4));  // X, W, offset, B, mask
}

bool gains_from_codes(const PlacementDraft& draft, const Use& use) {
  if (use.slot < 0) return true;
  if (draft.is_out(use.node)) return false;
  return draft.facts().is_weighted(use.node) || draft.is_forced(use.node) ||
         draft.facts().kind(use.node) == OpKind::MatMul;
}

bool is_passive(const PlacementDraft& draft, NodeId node) {
  const OpKind kind = draft.facts().kind(node);
  return is_activation(kind) || kind == OpKind::Softmax || kind == OpKind::LogSoftmax || kind == OpKind::Cast ||
         kind == OpKind::ShapeOf || draft.is_out(node) || commutes(draft.facts(), draft, node);
}

}  // namespace

bool is_decoding(const PlacementDraft& draft, NodeId node) {
  NodeMap<bool>& known = draft.ends().decoding;
  if (known.empty())
    known = nodes_before_end(
        draft, [&](const Use& use) { return gains_from_codes(draft, use); },
        [&](const Use& use) { return tells_places(draft.facts(), use); });
  return known[node];
}

bool is_head(const PlacementDraft& draft, NodeId node) {
  NodeMap<bool>& known = draft.ends().heads;
  if (known.empty())
    known = nodes_before_end(
        draft, [&](const Use& use) { return !is_passive(draft, use.node); }, [](const Use&) { return false; });
  return known[node];
}

bool takes_expected_value(const GraphFacts& facts, const PlacementDraft& draft, const Node& node) {
  if (!facts.is_weighted(node.id)) return false;
  const Shape& weight = facts.weight(node.id).shape();
  const int axis = facts.weight_axis(node);
  if (axis < 0 || weight[static_cast<size_t>(axis)] != 1) return false;
  const MaybeValue data = facts.data_input(node.id);
  const Node* producer = facts.producer(data);
  while (producer && commutes(facts, draft, producer->id)) producer = facts.producer(facts.data_input(producer->id));
  return producer && facts.kind(producer->id) == OpKind::Softmax;
}

}  // namespace detent
