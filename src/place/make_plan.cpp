#include "place/make_plan.h"

#include "place/draft/draft.h"

namespace detent {

void apply_rules(PlacementDraft& draft) {
  const auto rules = *draft.target().engine.rules;
  const auto run_round = [&](void (*Rule::*round)(PlacementDraft&)) {
    for (const Rule* rule : rules) {
      draft.begin_rule(rule);
      if (rule->*round) (rule->*round)(draft);
    }
  };
  run_round(&Rule::mark);
  run_round(&Rule::decide);
  // A node may put a pair on a value that an earlier node reads too: visits continue until none adds a pair.
  for (size_t pairs = draft.pair_count(), before = pairs + 1; pairs != before; pairs = draft.pair_count()) {
    before = pairs;
    for (const Node& node : draft.graph().nodes()) {
      for (const Rule* rule : rules) {
        draft.begin_rule(rule);
        if (rule->visit) rule->visit(draft, node);
      }
    }
  }
  run_round(&Rule::share);
}

PlacementPlan make_placement_plan(const Graph& graph, const Target& target, const PlacementOptions& options,
                                  const ValueShapes& shapes, const MeasuredFacts& measured) {
  PlacementDraft draft(graph, target, options, measured);
  draft.set_shapes(shapes);
  apply_rules(draft);
  if (const int64_t newest = target.engine.newest_opset; newest > 0 && draft.opset() > newest)
    draft.note("opset " + std::to_string(draft.opset()) + " is newer than " + std::to_string(newest) +
               ", the last that " + target.spec() + " knows: it may read operators in an older version");
  return draft.finish(shapes);
}

PlacementPlan make_float_plan(const Graph& graph, const Target& target, const ValueShapes& shapes) {
  const PlacementOptions options;
  return PlacementDraft(graph, target, options).finish(shapes);
}

}  // namespace detent
