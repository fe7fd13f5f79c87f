#pragma once

#include <set>
#include <string>

#include "model/graph/graph.h"

namespace detent {

/// Names for the values and nodes that a patch adds to a graph.
class NameSource {
 public:
  /// `graph` must outlive it.
  explicit NameSource(const Graph& graph) : graph_(graph) {}

  /// `wish`, or else `wish`_1, `wish`_2 ...: the first that names no value and no node of the graph or of a graph
  /// inside it, and was not given before.
  [[nodiscard]] std::string fresh(const std::string& wish);

 private:
  const Graph& graph_;
  std::set<std::string> given_;
};

}  // namespace detent
