#include "lint/view/layer_readers.h"

#include <algorithm>
#include <iterator>
#include <ranges>

#include "place/draft/flow.h"

namespace detent {
namespace {

bool passes(const GraphFacts& facts, const PlacementDraft& draft, NodeId node) {
  return commutes(facts, draft, node) || is_data_concat(facts, draft, node) || is_fusable_activation(facts.kind(node));
}

}  // namespace

LayerReaders::LayerReaders(const GraphFacts& facts, const PlacementDraft& draft)
    : by_value_(facts.graph().values().size()) {
  for (const Node& node : facts.graph().nodes() | std::views::reverse) {
    const bool weighted = facts.is_weighted(node.id);
    if (!weighted && !passes(facts, draft, node.id)) continue;
    const Layers itself = weighted ? std::make_shared<const std::vector<NodeId>>(1, node.id) : nullptr;
    for (const ValueId input : present(node.inputs)) {
      if (weighted) {
        add(input, itself);
        continue;
      }
      for (const ValueId output : present(node.outputs)) add(input, by_value_[output]);
    }
  }
}

void LayerReaders::add(ValueId value, const Layers& layers) {
  Layers& known = by_value_[value];
  if (!layers || layers == known) return;
  if (!known) {
    known = layers;
    return;
  }
  std::vector<NodeId> both;
  std::ranges::set_union(*known, *layers, std::back_inserter(both));
  if (both.size() > kMost) both.resize(kMost);
  if (both != *known) known = std::make_shared<const std::vector<NodeId>>(std::move(both));
}

const std::vector<NodeId>& LayerReaders::of(MaybeValue value) const {
  static const std::vector<NodeId> kNone;
  if (!value) return kNone;
  const Layers& layers = by_value_[*value];
  return layers ? *layers : kNone;
}

}  // namespace detent
