#pragma once

#include "detent/reports/plan_report.h"

namespace detent {

/// A made-up plan of residual blocks with branches, casts and nodes of every type; at least `nodes` of them, in INT8,
/// FP16 and FP32. Every name has characters that a page must escape.
[[nodiscard]] PlanReport made_up_graph(size_t nodes);

}  // namespace detent
