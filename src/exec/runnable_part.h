#pragma once

#include <functional>
#include <map>
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
  [[nodiscard]] bool can_run(ValueId value) const { return !stopped_by_[value]; }
  /// Returns the first of the nodes in front of the value that cannot run themselves; kNoNode where the value can run.
  [[nodiscard]] MaybeNode stopped_by(ValueId value) const { return stopped_by_[value]; }
  /// Returns the values that a run ends with: every output that can run, and instead of one that cannot the
  /// values that the nodes before it read. Each once, no constants, nothing made of constants alone and no graph
  /// inputs. Instead of a value behind a pair stands the one in front of it, which other placements have too. Empty
  /// when nothing can run.
  [[nodiscard]] const std::vector<ValueId>& ends() const { return ends_; }
  /// Returns nodes that cannot run themselves, in execution order. Empty: the whole graph can.
  [[nodiscard]] const std::vector<UnsupportedNode>& unsupported() const { return unsupported_; }

 private:
  void find_ends(const Graph& graph, ValueId value, ValueMap<bool>& visited);
  void add_end(const Graph& graph, ValueId value, ValueMap<bool>& visited);

  ValueMap<MaybeNode> stopped_by_;
  ValueMap<bool> varies_;  // false for what is made of constants alone
  std::vector<UnsupportedNode> unsupported_;
  std::vector<ValueId> ends_;
};

/// Says in a clause that nodes cannot run: "EfficientNMS_TRT 'nms' cannot run here (this operator is not supported)".
/// nodes  not empty, of RunnablePart::unsupported()
[[nodiscard]] std::string cannot_run_text(const Graph& graph, std::span<const UnsupportedNode> nodes);

/// Returns the values that need a node that cannot run, by name, each with cannot_run_text() of that node.
/// is_given  leaves out the values for whose name it is true
[[nodiscard]] std::map<std::string, std::string> unreached_values(
    const Graph& graph, const std::function<bool(const std::string&)>& is_given);

/// Returns the values called `names`, in their order.
/// Errors  Internal when the graph has no such value.
[[nodiscard]] std::vector<ValueId> values_named(const Graph& graph, const std::vector<std::string>& names);
/// Returns the names of `values`, in their order.
[[nodiscard]] std::vector<std::string> names_of(const Graph& graph, const std::vector<ValueId>& values);

}  // namespace detent
