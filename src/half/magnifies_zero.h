#pragma once

#include "model/graph/graph.h"

namespace detent {

/// True when the node turns a 0 in that slot into an infinity.
[[nodiscard]] inline bool magnifies_zero(const Node& node, int slot) {
  return node.domain.empty() && ((node.op_type == "Div" && slot == 1) || node.op_type == "Reciprocal" ||
                                 node.op_type == "Log" || (node.op_type == "Pow" && slot == 0));
}

}  // namespace detent
