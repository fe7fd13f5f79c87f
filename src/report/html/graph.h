#pragma once

#include <string>
#include <vector>

#include "detent/lint.h"

namespace detent::html {

/// The graph as a drawing in layers, nodes coloured and named by what they compute in, pairs and casts marked; and the
/// same as a list with every reason. Beyond 5000 nodes the list alone; "" for a report without a graph. findings  of
/// lint; those that name a node of the graph stand there.
[[nodiscard]] std::string graph_section(const PlanReport& plan, const std::vector<LintReport::Finding>& findings);

}  // namespace detent::html
