#pragma once

#include <string>
#include <vector>

#include "model/graph/graph.h"

namespace detent {

/// Returns the nodes in whose name the ECMAScript regular expression is found, in execution order.
/// option  that gave the expression, for messages: "--exclude"
/// Errors  InvalidOption for an expression that does not parse or that matches no node.
[[nodiscard]] std::vector<NodeId> nodes_matching(const Graph& graph, const std::string& pattern,
                                                 const std::string& option);

}  // namespace detent
