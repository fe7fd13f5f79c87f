#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "detent/reports/plan_report.h"
#include "report/lists.h"

namespace detent {

/// "Conv_41, Conv_44, Conv_47 and 110 more (Conv)  R1 weighted op: why": a line for the layers of one decision,
/// operator, rule and reason, in the order of their first; the group's share of `all_macs` in it unless that is 0. No
/// layers -> no lines.
[[nodiscard]] std::vector<std::string> layer_lines(const std::vector<const PlanReport::Layer*>& layers,
                                                   Listing& listing, int64_t all_macs = 0);

}  // namespace detent
