#pragma once

#include <cstdint>

#include "detent/base/data_source.h"
#include "detent/options/float_types.h"
#include "detent/options/run_settings.h"
#include "half/float_format.h"
#include "half/float_plan.h"
#include "model/graph/value_shapes.h"
#include "model/model.h"
#include "place/plan/placement_plan.h"

namespace detent {

/// Casts as `cast` does: raises the opset where the type needs it, measures the reach of every float value, and lets
/// `model` compute in `type`.
/// Errors  those of raising and running.
FloatReport cast_nodes(Model& model, FloatType type, const DataSource& source, const RunSettings& run);
/// The same with a format of that type, whose pairs may keep FP32 scales.
/// forced  nodes that stay FP32
FloatReport cast_nodes(Model& model, FloatType type, const FloatFormat& format, const DataSource& source,
                       const RunSettings& run, const ForcedFloat32& forced = {});

/// Returns the bytes that the coverage of `plan` counts for graph inputs that are FP32 in `graph` and get the 16-bit
/// type by narrow_io(). Inputs without a shape count 0.
[[nodiscard]] int64_t narrowed_input_bytes(const Graph& graph, const PlacementPlan& plan, const FloatFormat& format,
                                           const ValueShapes& shapes);

}  // namespace detent
