#pragma once

#include "detent/options/accuracy_bound.h"
#include "place/plan/placement_plan.h"
#include "tune/bound_race.h"

namespace detent {

struct BoundedPlan {
  KeptFloat kept;
  PlacementPlan plan;  ///< with these nodes kept float
  BoundReport report;
};

/// Keeps layers float until a bound on what quantization costs is met: few, and such that most MACs stay INT8.
///
/// 1. Every choice is measured alone on 64 samples (rank_choices) and ranked by the noise that it puts on the outputs
/// for the MACs that
///    would be float with it.
/// 2. The shortest beginning of the ranking that meets the bound is looked for: 1, 2, 4, 8 ... choices, then between
/// the last two
///    (BoundRace: up to 500 samples tell where). It is measured on all samples; where it misses the bound the search
///    goes on behind it.
/// 3. Each of them is measured in INT8 beside the others on the first part of the samples. As many of the cheapest as
/// the bound can do
///    without go back to INT8 together, then one by one, each measured on all samples, until twelve in a row cannot.
/// 4. What was found is confirmed on all samples, one by one.
///
/// A plan with nothing in INT8 meets no bound: where only that would, or nothing does, `met` is false and the plan is
/// the best of those that were measured. Reasons in the plan say what each layer was measured to cost. Same result for
/// any number of threads.
/// Errors  those of measuring.
[[nodiscard]] BoundedPlan keep_layers_float(const BoundedModel& bounded);

}  // namespace detent
