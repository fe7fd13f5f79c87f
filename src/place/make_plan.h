#pragma once

#include "place/plan/measured_facts.h"
#include "place/plan/placement_plan.h"
#include "place/plan/placement_request.h"

namespace detent {

class PlacementDraft;

/// Runs the target's rules in order. BatchNormalization should be folded before (fold_batchnorm.h). An empty graph
/// gives an empty plan.
/// measured  nodes that stay float whatever the rules decide
/// Errors  InvalidOption for a regular expression that does not parse or an include or exclude that matches nothing.
[[nodiscard]] PlacementPlan make_placement_plan(const Graph& graph, const Target& target,
                                                const PlacementRequest& options, const ValueShapes& shapes = {},
                                                const MeasuredFacts& measured = {});

/// Names in each float edge of the plan that a mark decided (Rule::mark) the rule that puts a pair there without marks.
/// Everything except the plan as given to make_placement_plan().
void name_overruled(PlacementPlan& plan, const Graph& graph, const PlacementRequest& options, const ValueShapes& shapes,
                    const MeasuredFacts& measured);

/// Returns the plan without a pair: all layers and edges float. For counting the parts of a float model.
[[nodiscard]] PlacementPlan make_float_plan(const Graph& graph, const Target& target, const ValueShapes& shapes);

/// Runs a draft through all rounds of the rules of its target; the caller may have marked and decided before.
/// Errors  those of make_placement_plan.
void apply_rules(PlacementDraft& draft);

}  // namespace detent
