#pragma once

#include <map>

#include "place/plan/placement_plan.h"
#include "rewrite/rewrite.h"
#include "rewrite/weight_memo.h"

namespace detent {

/// Writes a plan as a patch: QuantizeLinear/DequantizeLinear on every paired value, quantized weights, constant scales.
///
/// Each paired value gets one pair, shared by the edges that the plan pairs; other readers keep the float value. A pair
/// on a graph output keeps the output's name behind the pair. Edges of another width than their value's read a second
/// pair behind it, with the same range. New values are called VALUE_quantized, VALUE_dequantized, VALUE_scale and
/// VALUE_zero_point (made unique), those of a second pair VALUE_uint16_quantized .... `axis` is always written, zero
/// points always given. ranges  of every value of plan.quantized_values(), in real units memo    cache of quantized
/// weights, for many plans of one graph Empty   a plan without pairs and weights -> an empty patch. Errors
/// TableMismatch naming a paired value without a range; Internal when the plan does not belong to the graph. Source
/// ONNX QuantizeLinear-13 and -19; requirements of engines: src/place/engines.
[[nodiscard]] Rewrite make_qdq_patch(const Graph& graph, const PlacementPlan& plan,
                                     const std::map<ValueId, Range>& ranges, const RewriteOptions& options = {},
                                     WeightMemo* memo = nullptr);

/// Removes the Casts that nothing reads any more, because their QuantizeLinear reads their input (make_qdq_patch). Not
/// part of that patch, because several such patches exist side by side for one graph.
/// Empty  no such Cast -> an empty patch.
[[nodiscard]] GraphPatch take_unread_casts(const Graph& graph);

}  // namespace detent
