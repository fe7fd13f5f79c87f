#pragma once

#include <set>
#include <string>

#include "model/graph/graph.h"

namespace detent {

/// A source of names for the values and nodes that a patch adds to a graph.
class NameSource {
 public:
  /// graph  must outlive this object.
  explicit NameSource(const Graph& graph) : graph_(graph) {}

  /// Returns the first of `wish`, `wish`_1, `wish`_2 ... that names no value and no node of the graph or of a graph
  /// inside it, and was not returned before.
  [[nodiscard]] std::string fresh(const std::string& wish);

 private:
  const Graph& graph_;
  std::set<std::string> given_;
};

}  // namespace detent
