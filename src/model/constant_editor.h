#pragma once

#include "model/graph_patch.h"
#include "model/name_source.h"

namespace detent {

/// An editor that makes a patch of other constants for nodes.
class ConstantEditor {
 public:
  /// graph  must outlive this object.
  explicit ConstantEditor(const Graph& graph) : graph_(graph), names_(graph) {}

  /// Makes the node read `content` in `slot`: in place where nothing else reads the constant there and the shape stays,
  /// otherwise from a new initializer, called `wish` or nearly so.
  void replace(const Node& node, size_t slot, Tensor content, const std::string& wish);

  [[nodiscard]] NameSource& names() { return names_; }
  [[nodiscard]] GraphPatch& patch() { return patch_; }
  /// Returns the patch, with its reason where it changes anything.
  [[nodiscard]] GraphPatch take(const std::string& reason);

 private:
  const Graph& graph_;
  NameSource names_;
  GraphPatch patch_;
};

}  // namespace detent
