#pragma once

#include <string>
#include <vector>

#include "model/graph_patch.h"
#include "model/name_source.h"

namespace detent::forms {

/// The patch of a form while nodes are replaced. New values and constants are named after the node whose part they are.
class FormPatch {
 public:
  /// graph   must outlive this object
  /// reason  for messages, as GraphPatch::reason
  FormPatch(const Graph& graph, std::string reason);

  /// Returns the name of an input or output that is there.
  [[nodiscard]] std::string name_of(MaybeValue value) const;
  /// Returns a fresh name for a node or value.
  [[nodiscard]] std::string fresh(const Node& node, const std::string& what);
  /// Adds a constant. Returns its name.
  std::string constant(const Node& node, const std::string& what, Tensor tensor);
  void add(NodeSpec node);
  void remove(const Node& node);
  /// Has an input of a node read another value.
  void rewire(const Node& node, int slot, std::string value);
  [[nodiscard]] GraphPatch take();

 private:
  const Graph& graph_;
  NameSource names_;
  GraphPatch patch_;
};

/// Returns the node's attributes without those of these names.
[[nodiscard]] std::vector<Attribute> attributes_without(const Node& node, const std::vector<std::string>& names);

}  // namespace detent::forms
