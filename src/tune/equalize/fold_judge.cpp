#include "tune/equalize/fold_judge.h"

#include <algorithm>

#include "calibrate/calibration.h"
#include "calibrate/choose_ranges.h"
#include "detent/calibrator.h"
#include "detent/data_source.h"
#include "detent/error.h"
#include "detent/progress.h"
#include "evaluate/compared_values.h"
#include "evaluate/evaluate_models.h"
#include "evaluate/sample_scores.h"
#include "exec/find_shapes.h"
#include "place/make_plan.h"
#include "place/plan/placement_plan.h"
#include "rewrite/quantized_model.h"
#include "run/model_inputs.h"
#include "run/workers.h"
#include "tune/choose_calibrator.h"

namespace detent {

namespace {

/// The specs by the names of their calibrators, each once.
std::vector<std::string> named(const std::vector<std::string>& specs) {
  std::vector<std::string> names;
  for (const std::string& spec : specs) {
    const std::string name = is_auto(spec) ? spec : make_calibrator(spec)->name();
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

/// The models that one equalized model becomes, one a calibrator.
void add_variants(const Model& model, const DataSource& samples, const std::vector<Tensor>& inputs,
                  const JudgeOptions& options, const std::vector<std::string>& calibrators,
                  std::vector<Model>& variants) {
  const Graph& graph = model.graph();
  const PlacementPlan plan = make_placement_plan(graph, options.target, options.placement, find_shapes(graph, inputs));
  RunSettings quiet = options.run;
  quiet.reporter = &Reporter::silent();
  const Calibration calibration = calibrate(graph, plan.quantized_values(), samples, quiet);
  const RangesOf ranges_of = [&](const Calibrator& calibrator) {
    return choose_ranges(plan, calibration,
                         {graph, calibrator, options.overrides, options.format.range_kind(), worker_count(options.run),
                          options.clipped_samples});
  };
  for (const std::string& name : calibrators) {
    const auto ranges =
        is_auto(name) ? choose_calibrator({model, plan, options.format, calibration, ranges_of, &samples, quiet}).ranges
                      : ranges_of(*make_calibrator(name));
    variants.push_back(quantized_model(model, plan, ranges, options.format));
  }
}

}  // namespace

FoldJudge make_fold_judge(const Model& reference, JudgeOptions options) {
  return [&reference, options = std::move(options)](std::span<const Model> models, const DataSource& fit,
                                                    const DataSource& held_out) {
    const std::vector<std::string> calibrators = named(options.calibrators);
    const std::vector<Tensor> inputs = read_first_inputs(held_out, options.run);
    const std::vector<std::string> outputs = values_to_compare(reference, inputs);
    if (outputs.empty())
      throw Error(ErrorCode::InvalidOption,
                  "--equalize auto and --absorb-bias on measure at the outputs, but no output that can run comes from "
                  "float values",
                  "name the families: gate, relu, linear, norm");
    std::vector<Model> variants;
    for (const Model& model : models) add_variants(model, fit, inputs, options, calibrators, variants);
    EvaluationRequest request{reference, outputs, held_out, options.run, "judging equalization"};
    request.by_batch = true;
    std::vector<std::vector<double>> samples = sample_scores(evaluate_models(variants, request));
    FoldScores scores(models.size());
    for (size_t v = 0; v < variants.size(); ++v) scores[v / calibrators.size()].push_back(std::move(samples[v]));
    return scores;
  };
}

}  // namespace detent
