#include "tune/layer_errors.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "core/process/early_end.h"
#include "detent/base/error.h"
#include "evaluate/error_sums.h"
#include "evaluate/trial.h"
#include "exec/runnable_part.h"
#include "place/plan/placement_plan.h"
#include "run/samples_together.h"

namespace detent {

namespace {

/// Returns the plan 0, all quantized, then for choice i the plans 1 + 2i (it alone) and 2 + 2i (all except it); with
/// LayerVariants::Alone only 1 + i.
std::vector<PlacementPlan> plans_of(FloatVariants& variants, bool both) {
  std::vector<PlacementPlan> plans{variants.plan({})};
  for (const FloatChoice& choice : variants.choices()) {
    plans.push_back(variants.alone(choice));
    if (both) plans.push_back(variants.all_but(choice));
  }
  variants.measure_for(plans);
  return plans;
}

Evaluation evaluate_together(FloatVariants& variants, const std::vector<PlacementPlan>& plans, bool both,
                             const EvaluationRequest& request) {
  const Graph& graph = request.reference.graph();
  const SamplesTogether joined(request.source,
                               samples_together(graph, values_named(graph, request.names), request.source));
  ModelsSideBySide shared(request.reference);
  const size_t all = shared.add(variants.patch(plans.front()));
  for (size_t i = 1; i < plans.size(); ++i)
    shared.add(variants.patch(plans[i]), both && i % 2 == 0 ? std::optional(all) : std::nullopt);
  return evaluate_side_by_side(
      shared, {request.reference, request.names, joined, request.settings, request.task, request.judge});
}

}  // namespace

LayerErrors measure_layer_errors(FloatVariants& variants, const Model& model, const std::vector<std::string>& names,
                                 const DataSource& source, const RunSettings& settings, const TaskMetric* task,
                                 LayerVariants asked, const SampleRequest* request) {
  const bool both = asked == LayerVariants::Both;
  const std::vector<PlacementPlan> plans = plans_of(variants, both);
  EvaluationRequest wanted{model, names, source, settings, "measuring every layer", task};
  wanted.request = request;
  const Evaluation found = request && request->steps
                               ? evaluate_models(
                                     plans.size(), [&](size_t v) { return variants.model(plans[v]); }, wanted)
                               : evaluate_together(variants, plans, both, wanted);
  if (found.outputs.empty()) throw nothing_compared();
  LayerErrors result;
  result.all = found.report(0);
  result.samples = found.samples;
  result.skipped = found.skipped;
  result.variants = plans.size();
  result.seconds = std::accumulate(found.seconds.begin(), found.seconds.end(), 0.0);
  result.float_seconds = found.seconds.front();
  const auto& choices = variants.choices();
  const size_t each = both ? 2 : 1;
  const auto& judged = found.task;
  if (!judged.empty()) result.fp32_task = judged[0], result.all_task = judged[1];
  for (size_t i = 0; i < choices.size(); ++i) {
    const size_t alone = 1 + each * i, all_but = alone + 1;
    LayerErrors::Choice& choice = result.choices.emplace_back(choices[i], found.report(alone));
    if (!judged.empty()) choice.alone_task = judged[1 + alone];
    if (each == 1) continue;
    choice.all_but = found.report(all_but);
    if (!judged.empty()) choice.all_but_task = judged[1 + all_but];
  }
  std::ranges::stable_sort(result.choices, {}, [](const LayerErrors::Choice& choice) {
    return std::pair(worst_sqnr_db(choice.alone), -worst_sqnr_db(choice.all_but));
  });
  return result;
}

bool add_word_errors(LayerErrors& errors, FloatVariants& variants, const DecodedTexts& texts) {
  const size_t models = 1 + 2 * errors.choices.size();
  size_t model = 0;
  const auto errors_of = [&](const PlacementPlan& plan) {
    const std::string task = fmt::format("decoding with model {} of {}", ++model, models);
    return sum_of(texts.errors_of(variants.model(plan), task));
  };
  try {
    if (is_ending_early()) return false;
    const TextErrors fp32 = sum_of(texts.float_errors(texts.size()));
    errors.all_task.texts = errors_of(variants.plan({}));
    errors.fp32_task.texts = fp32;
    for (LayerErrors::Choice& choice : errors.choices) {
      const TextErrors alone = errors_of(variants.alone(choice.what));
      choice.all_but_task.texts = errors_of(variants.all_but(choice.what));
      choice.alone_task.texts = alone;
    }
  } catch (const Error& error) {
    if (!ends_early(error)) throw;
    return false;
  }
  return true;
}

}  // namespace detent
