#pragma once

#include <span>
#include <string>
#include <vector>

#include "ops/find_operator.h"

namespace detent {

/// The part of a graph that can run although some of its nodes cannot: detectors often end in custom operators of an
/// engine.
class RunnablePart {
 public:
  explicit RunnablePart(const Graph& graph) : RunnablePart(graph, graph.outputs()) {}
  /// Looks at these outputs of the graph alone.
  RunnablePart(const Graph& graph, std::span<const ValueId> outputs);

  /// False for values that need a node that cannot run.
  [[nodiscard]] bool can_run(ValueId value) const { return can_run_[value]; }
  /// Returns the values that a run ends with: every output that can run, and instead of one that cannot the
  /// values that the nodes before it read. Each once, no constants and no graph inputs. Empty when nothing can run.
  [[nodiscard]] const std::vector<ValueId>& ends() const { return ends_; }
  /// Returns nodes that cannot run themselves, in execution order. Empty: the whole graph can.
  [[nodiscard]] const std::vector<UnsupportedNode>& unsupported() const { return unsupported_; }

 private:
  void find_ends(const Graph& graph, ValueId value, ValueMap<bool>& visited);

  ValueMap<bool> can_run_;
  std::vector<UnsupportedNode> unsupported_;
  std::vector<ValueId> ends_;
};

/// Returns the values called `names`, in their order.
/// Errors  Internal when the graph has no such value.
[[nodiscard]] std::vector<ValueId> values_named(const Graph& graph, const std::vector<std::string>& names);
/// Returns the names of `values`, in their order.
[[nodiscard]] std::vector<std::string> names_of(const Graph& graph, const std::vector<ValueId>& values);

}  // namespace detent
