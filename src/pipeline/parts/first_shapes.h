#pragma once

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "model/graph/graph.h"
#include "model/graph/value_shapes.h"

namespace detent {

/// Returns the shapes of all values from the first sample, or without data from the declared sizes; empty where these
/// are open.
[[nodiscard]] ValueShapes first_shapes(const Graph& graph, const DataSource* source, const RunSettings& run);

}  // namespace detent
