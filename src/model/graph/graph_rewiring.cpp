#include "model/graph/graph_rewiring.h"

#include <algorithm>
#include <tuple>

namespace detent {

namespace {

bool precedes(const Use& a, const Use& b) { return std::tie(a.node, a.slot) < std::tie(b.node, b.slot); }

/// Returns by node the node of the kept part behind which it can stand; kNoNode at the front.
NodeMap<MaybeNode> anchors(const Graph& graph, NodeId first) {
  NodeMap<MaybeNode> anchor(graph.nodes().size());
  for (const Node& node : graph.nodes()) {
    if (node.id < first) {
      anchor[node.id] = node.id;
      continue;
    }
    for (const ValueId input : present(node.inputs))
      if (const Node* producer = graph.producer(input))
        anchor[node.id] = std::max(anchor[node.id], anchor[producer->id]);
  }
  return anchor;
}

}  // namespace

Graph GraphRewiring::moved_up(const Graph& graph, NodeId first) {
  const NodeMap<MaybeNode> anchor = anchors(graph, first);
  std::vector<NodeId> order;
  for (const Node& node : graph.nodes()) order.push_back(node.id);
  // Ids ascend in execution order, and an anchor's own id is the smallest of those that stand behind it.
  std::ranges::stable_sort(order, {}, [&](NodeId id) { return std::pair(anchor[id], id); });
  Graph moved = graph;
  NodeMap<NodeId> place(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = NodeId(i);
    moved.nodes_[i] = graph.node(order[i]);
    moved.nodes_[i].id = NodeId(i);
    moved.node_ids_[moved.nodes_[i].name] = NodeId(i);
  }
  for (Value& value : moved.values_) {
    if (value.producer) value.producer = place[*value.producer];
    for (Use& use : value.uses) use.node = place[use.node];
    std::ranges::sort(value.uses, precedes);
  }
  return moved;
}

Graph GraphRewiring::rewired(const Graph& graph, std::span<const Rewiring> rewirings) {
  Graph copy = graph;
  for (const auto& [id, slot, value] : rewirings) {
    if (index_of(id) >= copy.nodes_.size() || index_of(value) >= copy.values_.size())
      throw Error(ErrorCode::Internal, "a rewiring names a node or a value that the graph does not have");
    Node& node = copy.nodes_[index_of(id)];
    const Node* producer = copy.producer(value);
    if (slot < 0 || slot >= std::ssize(node.inputs) || (producer && producer->id >= id))
      throw Error(ErrorCode::Internal, "node '" + node.name + "' cannot read value '" + graph.value(value).name +
                                           "' in slot " + std::to_string(slot));
    MaybeValue& read = node.inputs[static_cast<size_t>(slot)];
    if (read == value) continue;
    if (read) std::erase(copy.values_[index_of(*read)].uses, Use{id, slot});
    auto& uses = copy.values_[index_of(value)].uses;
    uses.insert(std::ranges::upper_bound(uses, Use{id, slot}, precedes), Use{id, slot});
    read = value;
  }
  return copy;
}

}  // namespace detent
