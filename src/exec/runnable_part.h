#pragma once

#include <vector>

#include "ops/find_operator.h"

namespace detent {

/// The part of a graph that can run although some of its nodes cannot: detectors often end in operators of an engine's
/// own.
class RunnablePart {
 public:
  explicit RunnablePart(const Graph& graph);

  /// False for values that need a node that cannot run.
  [[nodiscard]] bool can_run(ValueId value) const { return can_run_[value]; }
  /// A run ends with these values: every graph output that can run, and instead of one that cannot the values that the
  /// nodes before it read. Each once, no constants and no graph inputs. Empty when nothing can run.
  [[nodiscard]] const std::vector<ValueId>& ends() const { return ends_; }
  /// Nodes that cannot run themselves, in execution order. Empty: the whole graph can.
  [[nodiscard]] const std::vector<UnsupportedNode>& unsupported() const { return unsupported_; }

 private:
  void find_ends(const Graph& graph, ValueId value, ValueMap<bool>& visited);

  ValueMap<bool> can_run_;
  std::vector<UnsupportedNode> unsupported_;
  std::vector<ValueId> ends_;
};

/// The values called `names`, in their order.
/// Errors  Internal when the graph has no such value.
[[nodiscard]] std::vector<ValueId> values_named(const Graph& graph, const std::vector<std::string>& names);
/// Names of `values`, in their order.
[[nodiscard]] std::vector<std::string> names_of(const Graph& graph, const std::vector<ValueId>& values);

}  // namespace detent
