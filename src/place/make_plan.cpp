#include "place/make_plan.h"

#include <map>
#include <set>
#include <string>

#include "core/files/atomic_file.h"
#include "core/files/dump.h"
#include "core/files/output_set.h"
#include "core/text.h"
#include "place/draft/draft.h"

namespace detent {

namespace {

enum class Marks : uint8_t { Heed, Skip };

void run_rounds(PlacementDraft& draft, Marks marks) {
  const GraphFacts& facts = draft.facts();
  const auto rules = *facts.target().engine.rules;
  const auto run_round = [&](void (*Rule::*round)(const GraphFacts&, PlacementDraft&)) {
    for (const Rule* rule : rules) {
      draft.begin_rule(rule);
      if (rule->*round) (rule->*round)(facts, draft);
    }
  };
  if (marks == Marks::Heed) run_round(&Rule::mark);
  run_round(&Rule::decide);
  // A node may put a pair on a value that an earlier node reads too: visits continue until none adds a pair.
  for (size_t pairs = draft.pair_count(), before = pairs + 1; pairs != before; pairs = draft.pair_count()) {
    before = pairs;
    for (const Node& node : facts.graph().nodes()) {
      for (const Rule* rule : rules) {
        draft.begin_rule(rule);
        if (rule->visit) rule->visit(facts, draft, node);
      }
    }
  }
  run_round(&Rule::share);
}

}  // namespace

void apply_rules(PlacementDraft& draft) {
  const auto rules = *draft.facts().target().engine.rules;
  const PlacementDraft blank = draft;
  std::map<RuleId, LayersKeptOut> kept;
  for (bool more = true; more;) {
    for (const auto& [rule, layers] : kept) {
      draft.begin_rule(rule);
      for (const auto& [layer, reason] : layers) draft.keep_out(layer, reason);
    }
    run_rounds(draft, Marks::Heed);
    more = false;
    for (const Rule* rule : rules) {
      if (!rule->review || more) continue;  // a rule sees the draft that the reviews before it left
      const size_t before = kept[rule].size();
      rule->review(draft, kept[rule]);
      more = kept[rule].size() > before;
    }
    if (more) draft = blank;
  }
}

PlacementPlan make_placement_plan(const Graph& graph, const Target& target, const PlacementRequest& options,
                                  const ValueShapes& shapes, const MeasuredFacts& measured) {
  const GraphFacts facts(graph, target, &shapes);
  PlacementDraft draft(facts, options, measured);
  std::string told;
  if (dumps()) draft.tell(&told);
  apply_rules(draft);
  if (dumps()) {
    const AtOnce now;
    write_file(next_dump("draft.txt"), told);
  }
  std::set<std::string> unknown;
  for (const Node& node : graph.nodes())
    if (node.domain.empty() && !target.parser.reads(node.op_type)) unknown.insert(node.op_type);
  if (!unknown.empty())
    draft.note(
        "the parser of " + target.spec() + " does not know " + join(unknown, ", ") +
        ": it refuses the file without a plugin of that name; a newer version, or an export with operators up to "
        "opset " +
        std::to_string(target.newest_opset()));
  if (const int64_t newest = target.newest_opset(); newest > 0 && facts.opset() > newest)
    draft.note("opset " + std::to_string(facts.opset()) + " is newer than " + std::to_string(newest) +
               ", the last that " + target.spec() + " knows: it " +
               (target.parser.refuses_newer ? "refuses the file" : "may read operators in an older version"));
  return draft.finish(shapes);
}

void name_overruled(PlacementPlan& plan, const Graph& graph, const PlacementRequest& options, const ValueShapes& shapes,
                    const MeasuredFacts& measured) {
  const GraphFacts facts(graph, *plan.target, &shapes);
  PlacementDraft unmarked(facts, options, measured);
  run_rounds(unmarked, Marks::Skip);
  const PlacementPlan wanted = unmarked.finish(shapes);
  for (EdgeDecision& edge : plan.edges) {
    if (edge.reads_pair() || !edge.rule || !edge.rule->mark) continue;
    const EdgeDecision* other = wanted.find_edge(edge.consumer, edge.slot);
    if (other && other->reads_pair()) edge.overruled = other->rule;
  }
}

PlacementPlan make_float_plan(const Graph& graph, const Target& target, const ValueShapes& shapes) {
  const GraphFacts facts(graph, target);
  const PlacementRequest options;
  return PlacementDraft(facts, options).finish(shapes);
}

}  // namespace detent
