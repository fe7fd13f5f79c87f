#pragma once

#include <span>
#include <vector>

#include "detent/reports/plan_report.h"
#include "equalize/find_groups.h"

namespace detent {

/// Values of a prepared graph that --equalize could even out, by family in the order of kEqualizeFamilies; families
/// without any are left out. Each family is counted by itself, as `--equalize FAMILY` would find it: `act` may hold
/// values that another family holds too.
/// shapes  of all values, from a run; values without a shape are left alone.
[[nodiscard]] std::vector<PlanReport::Equalizable> equalizable_values(const Graph& graph, const ValueShapes& shapes);
/// Those that are found with the shapes of every one of `runs`, which are at least one.
[[nodiscard]] std::vector<PlanReport::Equalizable> equalizable_values(const Graph& graph,
                                                                      std::span<const ValueShapes> runs);

}  // namespace detent
