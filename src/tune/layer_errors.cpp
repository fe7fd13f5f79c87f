#include "tune/layer_errors.h"

#include <algorithm>

#include "detent/error.h"
#include "evaluate/error_sums.h"
#include "evaluate/evaluate_side_by_side.h"
#include "place/plan/placement_plan.h"

namespace detent {

namespace {

/// Variant 0 has everything quantized, 1 + 2i and 2 + 2i are choice i alone and all but it.
void add_variants(ModelsSideBySide& shared, FloatVariants& variants) {
  std::vector<PlacementPlan> plans{variants.plan({})};
  for (const FloatChoice& choice : variants.choices()) {
    plans.push_back(variants.alone(choice));
    plans.push_back(variants.all_but(choice));
  }
  variants.measure_for(plans);
  const size_t all = shared.add(variants.patch(plans.front()));
  for (size_t i = 1; i < plans.size(); i += 2) {
    shared.add(variants.patch(plans[i]));
    shared.add(variants.patch(plans[i + 1]), all);
  }
}

}  // namespace

LayerErrors measure_layer_errors(FloatVariants& variants, const Model& model, const std::vector<std::string>& names,
                                 const DataSource& source, const RunSettings& settings, const TaskMetric* task) {
  ModelsSideBySide shared(model);
  add_variants(shared, variants);
  const SideBySideEvaluation found =
      evaluate_side_by_side(shared, names, source, settings, "measuring every layer", false, task);
  if (found.evaluation.outputs.empty())
    throw Error(ErrorCode::InvalidOption,
                "no output can be compared: none comes from float values and has one shape in "
                "all variants");
  LayerErrors result;
  result.all = found.evaluation.report(0);
  result.samples = found.evaluation.samples;
  result.skipped = found.evaluation.skipped;
  result.variants = shared.size();
  result.seconds = found.seconds;
  result.float_seconds = found.float_seconds;
  const auto& choices = variants.choices();
  for (size_t i = 0; i < choices.size(); ++i)
    result.choices.push_back({choices[i], found.evaluation.report(1 + 2 * i), found.evaluation.report(2 + 2 * i)});
  if (const auto& judged = found.evaluation.task; !judged.empty()) {
    result.fp32_task = judged[0];
    result.all_task = judged[1];
    for (size_t i = 0; i < choices.size(); ++i) {
      result.choices[i].alone_task = judged[2 + 2 * i];
      result.choices[i].all_but_task = judged[3 + 2 * i];
    }
  }
  std::ranges::stable_sort(result.choices, {}, [](const LayerErrors::Choice& choice) {
    return std::pair(worst_sqnr_db(choice.alone), -worst_sqnr_db(choice.all_but));
  });
  return result;
}

}  // namespace detent
