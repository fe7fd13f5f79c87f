#include "detent/plan.h"
#include "equalize/equalizable_values.h"
#include "model/graph/value_shapes.h"
#include "model/model.h"
#include "pipeline/plan_report.h"
#include "place/make_plan.h"
#include "place/plan/placement_plan.h"
#include "prepare/prepare_model.h"
#include "prepare/read_model_to_run.h"
#include "prepare/shapes_without_data.h"

namespace detent {

namespace {

/// MACs and bytes need the sizes themselves; what can be equalized does not depend on them.
void tell_without_sizes(const Graph& graph, const InputShapes& given, PlanReport& report) {
  report.notes.emplace_back(kOpenSizes);
  const TrialShapes trial = shapes_at_trial_sizes(graph, given);
  if (trial.missing.empty())
    report.equalizable = equalizable_values(graph, trial.runs);
  else
    report.notes.push_back("what could be equalized is not known: " + trial.missing +
                           "; --shape gives what is missing");
}

}  // namespace

PlanReport plan_model(const PlanModelOptions& options) {
  const Target& target = find_target(options.target);
  Model model = read_float_model(options.model);
  const ModelFacts facts = facts_of(model);
  const Preparation preparation = prepare_model(model, target, prepare_options(options.placement));
  const Graph& graph = model.graph();
  const auto shapes = shapes_without_data(graph, options.shapes);
  const PlacementPlan plan = make_placement_plan(graph, target, options.placement, shapes.value_or(ValueShapes{}));
  PlanReport report = describe_plan(plan, graph, options.model.string(), facts, preparation.folded_batchnorms);
  if (shapes)
    report.equalizable = equalizable_values(graph, *shapes);
  else
    tell_without_sizes(graph, options.shapes, report);
  return report;
}

}  // namespace detent
