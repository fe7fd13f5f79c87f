#include "detent/plan.h"

#include "calibrate/ruined_values.h"
#include "core/stop.h"
#include "detent/error.h"
#include "equalize/equalizable_values.h"
#include "exec/find_shapes.h"
#include "model/graph/value_shapes.h"
#include "model/model.h"
#include "pipeline/parts/half_setup.h"
#include "pipeline/parts/plan_report.h"
#include "pipeline/parts/setup.h"
#include "pipeline/parts/stray_options.h"
#include "place/make_plan.h"
#include "place/plan/placement_plan.h"
#include "prepare/prepare_model.h"
#include "prepare/read_model_to_run.h"
#include "prepare/shapes_without_data.h"
#include "rewrite/format_options.h"
#include "run/model_inputs.h"

namespace detent {

namespace {

/// What plan_model says besides the plan itself.
struct Beside {
  std::optional<std::vector<PlanReport::Equalizable>> equalizable;
  std::optional<FloatReport> floats;
  std::vector<std::string> notes;
};

/// MACs and bytes need the sizes themselves; what can be equalized does not depend on them.
void tell_without_sizes(const Graph& graph, const InputShapes& given, Beside& beside) {
  beside.notes.emplace_back(kOpenSizes);
  const TrialShapes trial = shapes_at_trial_sizes(graph, given);
  if (trial.missing.empty())
    beside.equalizable = equalizable_values(graph, trial.runs);
  else
    beside.notes.push_back("what could be equalized is not known: " + trial.missing +
                           "; --shape gives what is missing");
}

PlanReport plan_with_data(const PlanModelOptions& options) {
  if (!options.shapes.empty()) throw Error(ErrorCode::Usage, "--shape: with --data the sizes are those of the samples");
  FormatOptions format;
  format.float_type = options.float_type;
  format.uint8_activations = options.uint8_activations;
  const EqualizeOptions equalize;
  const std::filesystem::path none;
  SetupOptions given{options.model,     options.data, none,     none, options.target,
                     options.placement, format,       equalize, {},   options.run};
  given.identify = true;
  Setup setup = set_up(given);
  if (pairs_the_stream(setup.model.graph(), setup.plan, options.placement))
    static_cast<void>(setup.calibrate_plan());  // what INT8 ruins stays float
  PlanReport report = describe_plan(setup.plan, setup.model.graph(), options.model.string(), setup.facts,
                                    setup.preparation.folded_batchnorms);
  if (setup.half) add_floats(report, setup.half->report, setup.model.graph(), setup.plan, setup.facts);
  const Graph& before = setup.half ? setup.half->before->graph() : setup.model.graph();
  report.equalizable = equalizable_values(
      before, setup.half ? find_shapes(before, read_first_inputs(*setup.data, options.run)) : setup.shapes);
  report.samples = setup.identified->count();
  report.sample_digest = setup.identified->digest();
  return report;
}

/// Lets the model compute in 16 bits where that is known without its values.
void make_half_unmeasured(Model& model, FloatType type, const std::optional<std::vector<Tensor>>& inputs,
                          Beside& beside) {
  if (type == FloatType::Fp32) return;
  if (inputs)
    beside.floats = plan_half(model, type, *inputs);
  else
    beside.notes.emplace_back(
        "which nodes would compute in 16 bits is not known before the sizes are: --shape or --data");
}

}  // namespace

PlanReport plan_model(const PlanModelOptions& options) {
  const StopScope stop(options.run.stop);
  refuse_stray_options(options.data, nullptr, options.run);
  if (options.data.given()) return plan_with_data(options);
  const Target& target = find_target(options.target);
  const FloatType type = options.float_type.value_or(target.float_type);
  FormatOptions given;
  given.uint8_activations = options.uint8_activations;
  const RewriteOptions format =
      rewrite_options(given, options.placement, target);  // refuses types that the target does not take
  const PlacementOptions placement = placement_with(format, options.placement, target);
  Model model = read_float_model(options.model);
  const ModelFacts facts = facts_of(model);
  const Preparation preparation = prepare_model(model, target, prepare_options(options.placement, type));
  const auto inputs = inputs_without_data(model.graph(), options.shapes);
  Beside beside;
  if (inputs)
    beside.equalizable = equalizable_values(model.graph(), find_shapes(model.graph(), *inputs));
  else
    tell_without_sizes(model.graph(), options.shapes, beside);
  make_half_unmeasured(model, type, inputs, beside);
  const Graph& graph = model.graph();
  const ValueShapes shapes = inputs ? find_shapes(graph, *inputs) : ValueShapes{};
  const PlacementPlan plan = make_placement_plan(graph, target, placement, shapes);
  PlanReport report = describe_plan(plan, graph, options.model.string(), facts, preparation.folded_batchnorms);
  report.equalizable = std::move(beside.equalizable);
  if (beside.floats) add_floats(report, *beside.floats, graph, plan, facts);
  report.notes.insert(report.notes.end(), beside.notes.begin(), beside.notes.end());
  return report;
}

}  // namespace detent
