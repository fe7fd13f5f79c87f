#include "evaluate/value_costs.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>

#include "evaluate/error_sums.h"
#include "evaluate/side_by_side.h"
#include "evaluate/trial.h"
#include "rewrite/qdq_inserter.h"

namespace detent {

namespace {

constexpr size_t kFirstGroups = 8;

/// Neighbours in the order of the graph.
struct CostGroup {
  size_t first = 0, count = 0;
  std::optional<double> sqnr_db = std::nullopt;
};

/// Returns the values with a pair in the order in which nodes read them, without constants.
std::vector<ValueId> values_in_order(const PlacementPlan& plan, const Graph& graph) {
  std::vector<ValueId> values;
  std::set<ValueId> seen;
  const auto add = [&](ValueId value) {
    if (!graph.value(value).is_constant && seen.insert(value).second) values.push_back(value);
  };
  for (const EdgeDecision& edge : plan.edges)
    if (edge.reads_pair()) add(edge.value);
  for (const ValueId value : plan.paired_values()) add(value);  // only graph outputs are left
  return values;
}

/// Returns the plan with the pairs of these values alone, and float weights.
PlacementPlan with_pairs_of(PlacementPlan plan, std::span<const ValueId> values) {
  const std::set<ValueId> kept(values.begin(), values.end());
  plan.take_pairs([&](ValueId value) { return !kept.contains(value); });
  plan.weights.clear();
  plan.masked_sums.clear();
  return plan;
}

/// Measures the groups that have no result. Errors  those of evaluate_side_by_side.
void measure_groups(const CostQuestion& question, const std::vector<ValueId>& values, std::vector<CostGroup>& groups) {
  const auto& [model, plan, ranges, given, names, source, settings, task] = question;
  RewriteOptions format = given;
  format.int32_bias = false;  // its scale comes from a pair that a group may lack
  ModelsSideBySide variants(model);
  std::vector<CostGroup*> measured;
  for (CostGroup& group : groups) {
    if (group.sqnr_db) continue;
    const PlacementPlan pairs = with_pairs_of(plan, std::span(values).subspan(group.first, group.count));
    variants.add(make_qdq_patch(model.graph(), pairs, ranges, format).patch);
    measured.push_back(&group);
  }
  if (measured.empty()) return;
  const Evaluation found = evaluate_side_by_side(variants, {model, names, source, settings, task});
  for (size_t i = 0; i < measured.size(); ++i) measured[i]->sqnr_db = worst_sqnr_db(found.report(i));
}

}  // namespace

std::vector<ValueCost> find_costly_values(const CostQuestion& question, size_t most, double below_db) {
  const std::vector<ValueId> values = values_in_order(question.plan, question.model.graph());
  std::vector<CostGroup> groups;
  const size_t parts = std::min(values.size(), std::max(most, kFirstGroups));
  for (size_t i = 0; i < parts; ++i) {
    const size_t first = i * values.size() / parts;
    groups.push_back({first, (i + 1) * values.size() / parts - first});
  }
  while (true) {
    measure_groups(question, values, groups);
    std::erase_if(groups, [&](const CostGroup& group) { return !(*group.sqnr_db < below_db); });
    std::ranges::stable_sort(groups, {}, &CostGroup::sqnr_db);
    groups.resize(std::min(groups.size(), most));
    std::vector<CostGroup> smaller;
    for (const CostGroup& group : groups) {
      const size_t half = group.count / 2;
      if (half == 0) {
        smaller.push_back(group);
        continue;
      }
      smaller.push_back({group.first, half});
      smaller.push_back({group.first + half, group.count - half});
    }
    if (smaller.size() == groups.size()) break;
    groups = std::move(smaller);
  }
  std::vector<ValueCost> costs;
  for (const CostGroup& group : groups) costs.push_back({values[group.first], *group.sqnr_db});
  return costs;
}

}  // namespace detent
