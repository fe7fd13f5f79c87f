#pragma once

#include "model/graph/graph.h"

namespace detent {

/// The node turns a 0 in that slot into an infinity.
[[nodiscard]] bool magnifies_zero(const Node& node, int slot);

}  // namespace detent
