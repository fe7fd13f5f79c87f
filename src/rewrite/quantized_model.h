#pragma once

#include <map>

#include "detent/base/qparams.h"
#include "model/model.h"
#include "place/plan/placement_plan.h"
#include "rewrite/rewrite.h"
#include "rewrite/weight_memo.h"

namespace detent {

/// Returns a copy of the float model with the pairs and weights of the plan: the model that `quantize` would write.
/// biases  constants to replace first; may be an empty patch
/// memo    as in make_qdq_patch()
/// Errors  those of make_qdq_patch and apply_patch. Memory: a second copy of the weights.
[[nodiscard]] Model quantized_model(const Model& model, const PlacementPlan& plan,
                                    const std::map<ValueId, Range>& ranges, const RewriteOptions& format,
                                    const GraphPatch& biases = {}, WeightMemo* memo = nullptr);

}  // namespace detent
