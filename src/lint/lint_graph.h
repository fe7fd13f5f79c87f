#pragma once

#include <vector>

#include "lint/view/finding.h"

namespace detent {

/// The findings about a Q/DQ model, worst first, and its layers that run in INT8.
struct LintedGraph {
  struct Found {
    Finding finding;
    double mac_share = 0;  ///< its layers' fraction of the model's MACs; 0 when shapes are unknown
  };
  std::vector<Found> findings;  ///< by level, then by share, then in the order of the graph
  PlacementPlan plan;           ///< the placement of the file; layers float by a rule carry its name
};

/// Runs every check that concerns the target. `graph` is the model after reading.float_patch, `shapes` those of its
/// values, `file` the original model. A graph without pairs gives only findings about types, for strongly typed
/// targets.
[[nodiscard]] LintedGraph lint_graph(const Graph& graph, const QdqReading& reading, const Target& target,
                                     const ValueShapes& shapes, const LintedFile& file);

}  // namespace detent
