#pragma once

#include <string>

#include "detent/compare.h"
#include "pipeline/compared_candidates.h"

namespace detent {

/// Refuses what no comparison of types can be made of, before anything is read.
/// Errors  Usage, as compare_types() says.
void check_types(const CompareOptions& options);

/// The models of options.types, one a type, in that order, behind each other: one setup at a time is in memory. What was calibrated
/// goes into the report: samples, seconds, outliers and equalization of the first type that has activations. Where a type leaves 16-bit
/// floats there are the baselines too.
/// Errors  those of set_up, make_candidates, make_blocked_model and add_baselines.
[[nodiscard]] Candidates make_typed_candidates(const CompareOptions& options, ComparisonReport& report);

/// Holds every variant of a judged report against the limit of `choice`, or the default: fills limit, metric, losses and smallest.
void hold_against_limit(const TypeChoice& choice, const ComparisonReport& report, TypeComparison& types);

}  // namespace detent
