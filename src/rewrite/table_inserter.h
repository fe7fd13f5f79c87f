#pragma once

#include "model/graph_patch.h"
#include "model/name_source.h"
#include "place/plan/placement_plan.h"
#include "rewrite/coded_weights.h"

namespace detent {

/// Adds to `patch` what makes codes of the plan's tables that `weights` holds: VALUE_quantized, VALUE_scale,
/// VALUE_zero_point (0). Others stay float.
///
///   TensorRT:      codes -> DequantizeLinear -> its readers. Engines of NVIDIA take scales per channel on constants
///   alone. ONNX Runtime:  the same; but a Gather gathers codes, and a DequantizeLinear with axis -1 stands behind it.
///   In front of it the
///                  whole table would be made floats at every run.
void add_tables(GraphPatch& patch, NameSource& names, const Graph& graph, const PlacementPlan& plan,
                const BlockedWeights& weights);

}  // namespace detent
