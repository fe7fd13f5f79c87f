#pragma once

#include "model/graph/graph.h"

namespace detent {

/// Returns the value that this one is a copy of, at last; itself where it is none. A Cast copies, too.
[[nodiscard]] ValueId source_of_copy(const Graph& graph, ValueId value);

}  // namespace detent
