#pragma once

#include <span>
#include <vector>

#include "detent/reports/plan_report.h"
#include "equalize/find_groups.h"

namespace detent {

/// Returns the values of a prepared graph that --equalize can even out, by family in the order of kEqualizeFamilies,
/// without empty families. Each family is counted alone, as `--equalize FAMILY` finds it: `act` may hold values that
/// another family holds too.
/// shapes  of all values, from a run; values without a shape are left alone
[[nodiscard]] std::vector<PlanReport::Equalizable> equalizable_values(const Graph& graph, const ValueShapes& shapes);
/// Returns the values found with the shapes of every one of `runs`, at least one.
[[nodiscard]] std::vector<PlanReport::Equalizable> equalizable_values(const Graph& graph,
                                                                      std::span<const ValueShapes> runs);

}  // namespace detent
