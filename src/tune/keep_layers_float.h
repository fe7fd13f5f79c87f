#pragma once

#include "detent/reports/bound_report.h"
#include "place/plan/placement_plan.h"
#include "tune/bound_race.h"

namespace detent {

struct BoundedPlan {
  KeptFloat kept;
  PlacementPlan plan;  ///< with these nodes kept float
  BoundReport report;
};

/// Keeps layers float until the quantized model meets a bound: few layers, with few MACs. An engine without float
/// kernels gives them 16-bit activations instead (FloatVariants::widens); "float" below means these, too.
///
/// 1. Measures every choice alone on 64 samples and ranks them by the noise at the outputs over the MACs that would be
///    float.
/// 2. Looks for the shortest prefix of the ranking that meets the bound: 1, 2, 4, 8 ... choices, then between the last
///    two (BoundRace, up to 500 samples). Measures it on all samples; where it misses the bound, tries longer ones.
/// 3. Returns choices to INT8: as many of the cheapest as the bound allows together, then one by one, each measured on
///    all samples, until twelve in a row fail. More than 32 nodes of 16 bits return together only.
/// 4. Confirms the result on all samples, one by one.
///
/// If the work ends early (EarlyEnd), the result is the smallest set known to meet the bound; without one the plan
/// is that of all layers, and `met` is false. All layers are measured behind a time limit, too, not behind Ctrl-C.
/// A plan without INT8 meets no bound: when nothing else does, `met` is false and the plan is the best one measured.
/// The reasons in the plan give each layer's measured cost. The result does not depend on the number of threads.
/// Errors  those of measuring.
[[nodiscard]] BoundedPlan keep_layers_float(const BoundedModel& bounded);

}  // namespace detent
