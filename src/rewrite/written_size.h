#pragma once

#include <cstdint>

#include "model/model.h"
#include "place/plan/placement_plan.h"
#include "rewrite/rewrite.h"

namespace detent {

/// Returns a lower bound in bytes of the file that the plan is written to: the model with one byte an element for each
/// weight that is stored in INT8 and read in no other form; with `half` two for each other FP32 constant; and the rest
/// unchanged. Pairs and casts are not counted. `plan` belongs to the model's graph.
[[nodiscard]] uint64_t least_written_bytes(const Model& model, const PlacementPlan& plan, const RewriteOptions& options,
                                           bool half = false);

}  // namespace detent
