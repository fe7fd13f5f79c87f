#pragma once

#include <string>

#include "place/draft/draft.h"

namespace detent {

/// True for a node that the compiler of Rockchip's NPU can run in INT8 between pairs: it computes with floats or moves
/// them, the user does not keep it out, and it does not decode (R18) behind the last layer and its activation or mean.
[[nodiscard]] bool runs_on_npu(const GraphFacts& facts, const PlacementDraft& draft, const Node& node);

/// Returns why the compiler ends at the node, as a predicate ("works over three axes"); empty where it does not.
[[nodiscard]] std::string build_obstacle(const GraphFacts& facts, const Node& node);

/// Returns why the NPU runs the node in FP16 although its values have codes, as a predicate; empty where it does not.
[[nodiscard]] std::string half_obstacle(const GraphFacts& facts, const Node& node);

}  // namespace detent
