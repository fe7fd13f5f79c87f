#pragma once

#include <functional>
#include <string>
#include <vector>

namespace detent {

/// Positions of nodes in an order in which each stands behind those that it waits for: always the first one that is
/// ready, so a valid order stays as it is.
///
/// sources   by position: positions that it waits for, in any order, any of them repeated.
/// describe  a node for a message.
/// Errors    InvalidModel naming one or two nodes of a cycle.
[[nodiscard]] std::vector<int> execution_order(const std::vector<std::vector<int>>& sources,
                                               const std::function<std::string(int)>& describe);

}  // namespace detent
