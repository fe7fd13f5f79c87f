#pragma once

#include "model/graph_patch.h"
#include "place/plan/placement_plan.h"
#include "rewrite/coded_weights.h"

namespace detent {

/// Lets every layer of the plan read a DequantizeLinear of its own over the codes of its weight: engines fuse one that
/// has one reader. Codes are called VALUE_quantized, scales VALUE_scale. There is no zero point: it is 0. Tables of the
/// plan are written as add_tables() says. weights  of every value in plan.weights; tables without stay float. Needs
/// opset 21 for 4-bit codes and for blocks.
/// Empty    a plan without weights and tables -> an empty patch.
[[nodiscard]] GraphPatch make_blocks_patch(const Graph& graph, const PlacementPlan& plan, const BlockedWeights& weights,
                                           const BlockFormat& format);

/// The opset that the format needs. Source: ONNX docs/Changelog.md, DequantizeLinear-21; per-axis scales from 13 on.
[[nodiscard]] int64_t opset_for(const BlockFormat& format);

}  // namespace detent
