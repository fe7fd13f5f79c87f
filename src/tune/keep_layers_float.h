#pragma once

#include "detent/accuracy_bound.h"
#include "detent/run_settings.h"
#include "model/model.h"
#include "place/plan/placement_plan.h"
#include "tune/bound_judge.h"
#include "tune/float_variants.h"

namespace detent {

struct BoundedPlan {
  PlacementPlan plan;
  BoundReport report;
};

/// Keeps layers float until a bound on what quantization costs is met: few, and such that most MACs stay INT8.
///
/// 1. Every choice is measured alone on 64 samples (those whose names have the smallest hash) and ranked by the noise that it
///    puts on the outputs for the MACs that would be float with it.
/// 2. The shortest beginning of the ranking that meets the bound is found by measuring on all samples: 0, 1, 2, 4, 8 ...
///    choices, then between the last two. Assumes that more float layers do no harm.
/// 3. Each of them is measured in INT8 beside the others; where the bound still holds it is given back to INT8, the largest
///    first, as many as go together.
///
/// A plan with nothing in INT8 meets no bound: where only that would, or nothing does, `met` is false and the plan is the best
/// of those that were measured. Reasons in the plan say what each layer was measured to cost.
/// Same result for any number of threads. Errors  those of measuring.
[[nodiscard]] BoundedPlan keep_layers_float(FloatVariants& variants, const Model& model, const BoundJudge& judge,
                                            const RunSettings& settings);

}  // namespace detent
