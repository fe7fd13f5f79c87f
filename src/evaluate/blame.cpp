#include "evaluate/blame.h"

#include <algorithm>

#include "evaluate/compared_values.h"
#include "evaluate/error_sums.h"
#include "evaluate/trial.h"
#include "evaluate/value_errors.h"
#include "rewrite/qdq_inserter.h"

namespace detent {

namespace {

/// Values that are tried: one bad range mostly stands out, and each costs a run of the network behind it.
constexpr size_t kTried = 6;

PlacementPlan without(PlacementPlan plan, ValueId value) {
  for (EdgeDecision& edge : plan.edges)
    if (edge.value == value) edge.pair = false;
  std::erase_if(plan.output_pairs, [&](const OutputPair& pair) { return pair.value == value; });
  return plan;
}

}  // namespace

Blame find_blame(const Model& model, const PlacementPlan& plan, const std::map<ValueId, Range>& ranges,
                 RewriteOptions format, const DataSource& source, const RunSettings& settings) {
  format.int32_bias = false;  // its scale comes from a pair that a variant may lack
  const Graph& graph = model.graph();
  std::vector<LocalError> suspects = measure_value_errors(model, plan, ranges, format, source, settings);
  suspects.resize(std::min(suspects.size(), kTried));

  ModelsSideBySide variants(model);
  const size_t all = variants.add(make_qdq_patch(graph, plan, ranges, format).patch);
  for (const LocalError& suspect : suspects) {
    const PlacementPlan rest = without(plan, graph.find_value(suspect.value));
    variants.add(make_qdq_patch(graph, rest, ranges, format).patch);
  }
  const std::vector<std::string> names = values_to_judge(model, source, settings);
  const Evaluation found = evaluate_side_by_side(variants, {model, names, source, settings, "looking for the cause"});
  Blame blame;
  blame.sqnr_db = worst_sqnr_db(found.report(all));
  for (size_t i = 0; i < suspects.size(); ++i)
    blame.values.push_back({suspects[i].value, suspects[i].sqnr_db, worst_sqnr_db(found.report(all + 1 + i))});
  std::ranges::stable_sort(blame.values, std::ranges::greater{}, &VerdictReport::Blame::sqnr_db_without);
  return blame;
}

}  // namespace detent
