#pragma once

#include <functional>
#include <string>
#include <vector>

namespace detent {

/// Returns positions of nodes in an order in which each node stands behind the nodes that it waits for: always the
/// first one that is ready, so that a valid order stays.
///
/// sources   by position: the positions that the node waits for, in any order, repeated or not.
/// describe  returns a node for a message.
/// Errors    InvalidModel naming one or two nodes of a cycle.
[[nodiscard]] std::vector<int> execution_order(const std::vector<std::vector<int>>& sources,
                                               const std::function<std::string(int)>& describe);

}  // namespace detent
