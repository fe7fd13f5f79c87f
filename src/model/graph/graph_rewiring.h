#pragma once

#include <span>

#include "model/graph/graph.h"

namespace detent {

/// A node's slot and the value that it reads instead of the file's.
struct Rewiring {
  NodeId node{};
  int slot = 0;
  ValueId value{};
};

/// Makers of copies of a graph's index, for many variants of one model: the model itself is not copied. Constants look
/// into the model's memory, which must outlive the copies.
class GraphRewiring {
 public:
  /// Moves the nodes from `first` on, which nothing before `first` reads, right behind the last node that they need.
  /// Nodes get new ids, values keep theirs.
  [[nodiscard]] static Graph moved_up(const Graph& graph, NodeId first);
  /// Rewires; nodes and values keep their ids and order. Of two rewirings of one slot the later holds.
  /// Errors  Internal for a node or value that is not there; naming the node, for a slot that it does not have, or a
  ///         value that is written after it.
  [[nodiscard]] static Graph rewired(const Graph& graph, std::span<const Rewiring> rewirings);
};

}  // namespace detent
