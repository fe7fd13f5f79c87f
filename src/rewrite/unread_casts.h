#pragma once

#include <set>
#include <string>

#include "model/graph_patch.h"

namespace detent {

struct UnreadCasts {
  GraphPatch patch;
  std::set<std::string> nodes;  ///< the Casts that are no more
};

/// Takes the Casts that nothing reads any more: their QuantizeLinear reads what they read (make_qdq_patch).
/// Empty where there are none. Not part of that patch, because several of those stand side by side on one graph.
[[nodiscard]] UnreadCasts take_unread_casts(const Graph& graph);

}  // namespace detent
