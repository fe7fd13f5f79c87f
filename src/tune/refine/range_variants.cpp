#include "tune/refine/range_variants.h"

#include <algorithm>
#include <iterator>

#include "evaluate/trial.h"
#include "rewrite/qdq_inserter.h"

namespace detent {

namespace {

/// Every variant keeps a schedule over the additions of all: so many share a pass.
constexpr size_t kAtOnce = 64;

/// The pairs of these values, nothing else.
PlacementPlan only(PlacementPlan plan, const RangeChange& values) {
  plan.weights.clear();
  for (EdgeDecision& edge : plan.edges) edge.pair = edge.pair && values.contains(edge.value);
  std::erase_if(plan.output_pairs, [&](const OutputPair& pair) { return !values.contains(pair.value); });
  return plan;
}

}  // namespace

Evaluation RangeVariants::whole(const std::map<ValueId, Range>& ranges, std::span<const RangeChange> changes,
                                const DataSource& source) {
  ModelsSideBySide shared(model_);
  for (const RangeChange& change : changes) {
    RangeChange all = change;
    all.insert(ranges.begin(), ranges.end());  // what is there already stays
    shared.add(make_qdq_patch(model_.graph(), plan_, all, format_, &weights_).patch);
  }
  return evaluate_side_by_side(shared, {.reference = model_,
                                        .names = names_,
                                        .source = source,
                                        .settings = settings_,
                                        .task = "measuring ranges",
                                        .by_batch = true});
}

std::vector<BatchErrorSums> RangeVariants::alone(std::span<const RangeChange> changes,
                                                 const std::vector<std::string>& names,
                                                 const DataSource& source) const {
  RewriteOptions format = format_;
  format.int32_bias = false;  // there is no INT8 layer
  std::vector<BatchErrorSums> sums;
  for (size_t first = 0; first < changes.size(); first += kAtOnce) {
    const auto pass = changes.subspan(first, std::min(kAtOnce, changes.size() - first));
    ModelsSideBySide shared(model_);
    for (const RangeChange& change : pass)
      shared.add(make_qdq_patch(model_.graph(), only(plan_, change), change, format).patch);
    Evaluation found = evaluate_side_by_side(shared, {.reference = model_,
                                                      .names = names,
                                                      .source = source,
                                                      .settings = settings_,
                                                      .task = "trying ranges",
                                                      .by_batch = true});
    if (found.outputs != names) found.by_batch.assign(pass.size(), {});
    std::ranges::move(found.by_batch, std::back_inserter(sums));
  }
  return sums;
}

}  // namespace detent
