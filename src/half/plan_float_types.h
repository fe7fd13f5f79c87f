#pragma once

#include "half/float_plan.h"
#include "half/value_reach.h"

namespace detent {

/// Decides the type of every node by the rules of float_rules.h.
/// forced   nodes that stay FP32 before any rule is asked; unknown names are ignored
/// reaches  of every Float32 value (measure_reaches); nodes whose values are not in it are left alone
[[nodiscard]] FloatPlan plan_float_types(const Graph& graph, const FloatFormat& format, const ValueReaches& reaches,
                                         const ForcedFloat32& forced = {});

}  // namespace detent
