#pragma once

#include <cstdint>
#include <map>

#include "model/graph_patch.h"
#include "place/plan/placement_plan.h"
#include "rewrite/block_quantizer.h"

namespace detent {

/// Codes of weights and tables, by the float value that they replace.
using BlockedWeights = std::map<ValueId, BlockedWeight>;

/// Gives every layer of the plan a separate DequantizeLinear over the codes of its weight: engines fuse one that has a
/// single reader. Codes are called VALUE_quantized, scales VALUE_scale; there is no zero point. A weight that is no
/// matrix has channel_codes() along the axis of its decision. The plan's tables are
/// written too, with a DequantizeLinear in front of all readers: gather_codes() finishes a file. Needs opset 21 for
/// 4-bit codes and for blocks. weights  of every value in plan.weights; tables without an entry stay float Empty    a
/// plan without weights and tables -> an empty patch.
[[nodiscard]] GraphPatch make_blocks_patch(const Graph& graph, const PlacementPlan& plan, const BlockedWeights& weights,
                                           const BlockFormat& format);

/// Returns the opset that the format needs. Source: ONNX docs/Changelog.md, DequantizeLinear-21; per-axis scales from
/// 13 on.
[[nodiscard]] int64_t opset_for(const BlockFormat& format);

}  // namespace detent
