#pragma once

#include "model/graph_patch.h"
#include "model/name_source.h"

namespace detent {

/// A patch that gives nodes other constants.
class ConstantEditor {
 public:
  /// `graph` must outlive it.
  explicit ConstantEditor(const Graph& graph) : graph_(graph), names_(graph) {}

  /// The node reads `content` in `slot` from now on: in place where nobody else reads the constant that is there and
  /// the shape stays, else from an initializer of its own, called `wish` or nearly so.
  void replace(const Node& node, size_t slot, Tensor content, const std::string& wish);

  [[nodiscard]] NameSource& names() { return names_; }
  [[nodiscard]] GraphPatch& patch() { return patch_; }
  /// The patch, with its reason where it changes anything.
  [[nodiscard]] GraphPatch take(const std::string& reason);

 private:
  const Graph& graph_;
  NameSource names_;
  GraphPatch patch_;
};

}  // namespace detent
