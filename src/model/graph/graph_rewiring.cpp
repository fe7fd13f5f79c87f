#include "model/graph/graph_rewiring.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace detent {

namespace {

bool precedes(const Use& a, const Use& b) { return std::tie(a.node, a.slot) < std::tie(b.node, b.slot); }

/// By node: the node of the kept part behind which it can stand; kNoNode at the very front.
std::vector<NodeId> anchors(const Graph& graph, NodeId first) {
  std::vector<NodeId> anchor(graph.nodes().size(), kNoNode);
  for (const Node& node : graph.nodes()) {
    if (node.id < first) {
      anchor[static_cast<size_t>(node.id)] = node.id;
      continue;
    }
    for (const ValueId input : node.inputs)
      if (const Node* producer = graph.producer(input))
        anchor[static_cast<size_t>(node.id)] =
            std::max(anchor[static_cast<size_t>(node.id)], anchor[static_cast<size_t>(producer->id)]);
  }
  return anchor;
}

}  // namespace

Graph GraphRewiring::moved_up(const Graph& graph, NodeId first) {
  const std::vector<NodeId> anchor = anchors(graph, first);
  std::vector<NodeId> order(graph.nodes().size());
  std::iota(order.begin(), order.end(), NodeId{0});
  // Ids ascend in execution order, and an anchor's own id is the smallest of those that stand behind it.
  std::ranges::stable_sort(order, {}, [&](NodeId id) { return std::pair(anchor[static_cast<size_t>(id)], id); });
  Graph moved = graph;
  std::vector<NodeId> place(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    place[static_cast<size_t>(order[i])] = static_cast<NodeId>(i);
    moved.nodes_[i] = graph.nodes_[static_cast<size_t>(order[i])];
    moved.nodes_[i].id = static_cast<NodeId>(i);
    moved.node_ids_[moved.nodes_[i].name] = static_cast<NodeId>(i);
  }
  for (Value& value : moved.values_) {
    if (value.producer != kNoNode) value.producer = place[static_cast<size_t>(value.producer)];
    for (Use& use : value.uses) use.node = place[static_cast<size_t>(use.node)];
    std::ranges::sort(value.uses, precedes);
  }
  return moved;
}

Graph GraphRewiring::rewired(const Graph& graph, std::span<const Rewiring> rewirings) {
  Graph copy = graph;
  for (const auto& [id, slot, value] : rewirings) {
    Node& node = copy.nodes_[static_cast<size_t>(id)];
    const Node* producer = copy.producer(value);
    if (slot < 0 || static_cast<size_t>(slot) >= node.inputs.size() || (producer && producer->id >= id))
      throw Error(ErrorCode::Internal, "node '" + node.name + "' cannot read value '" + graph.value(value).name +
                                           "' in slot " + std::to_string(slot));
    ValueId& read = node.inputs[static_cast<size_t>(slot)];
    if (read == value) continue;
    if (read != kNoValue) std::erase(copy.values_[static_cast<size_t>(read)].uses, Use{id, slot});
    auto& uses = copy.values_[static_cast<size_t>(value)].uses;
    uses.insert(std::ranges::upper_bound(uses, Use{id, slot}, precedes), Use{id, slot});
    read = value;
  }
  return copy;
}

}  // namespace detent
