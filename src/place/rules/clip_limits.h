#pragma once

#include <optional>

#include "place/draft/graph_facts.h"

namespace detent {

/// Returns the range that a Clip cannot leave, as limit_range() takes it: it ends inside the Clip's bounds for an
/// engine that removes a Clip which a pair makes redundant. nullopt for another node, and where 0 is outside or the
/// bounds are only known when the network runs.
[[nodiscard]] std::optional<Range> clip_limits(const GraphFacts& facts, const Node& node);

}  // namespace detent
