#include "tune/equalize/fold_judge.h"

#include <algorithm>

#include "calibrate/calibration.h"
#include "calibrate/choose_ranges.h"
#include "evaluate/evaluate_models.h"
#include "tune/choose_calibrator.h"
#include "pipeline/plan_report.h"
#include "pipeline/quantize_report.h"
#include "run/sample_subset.h"
#include "run/workers.h"

namespace detent {

namespace {

std::vector<std::string> named(const std::vector<std::string>& specs) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const std::string& spec : specs) {
    if (!is_auto(spec))
      add(make_calibrator(spec)->name());
    else
      for (const char* name : {"max", "entropy", "mse", "percentile:99.99"}) add(name);
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
  const RangeKind kind =
      options.format.activation.type == DataType::UInt8 ? RangeKind::Asymmetric : RangeKind::Symmetric;
  for (const std::string& name : calibrators) {
    const auto ranges = choose_ranges(graph, plan, calibration, *make_calibrator(name), options.overrides, kind,
                                      worker_count(options.run));
    variants.push_back(model.clone());
    apply_patch(variants.back(), make_qdq_patch(graph, plan, ranges, options.format).patch);
  }
}

}  // namespace

FoldJudge make_fold_judge(const Model& reference, JudgeOptions options) {
  return [&reference, options = std::move(options)](std::span<const Model> models, const DataSource& fit,
                                                    const DataSource& held_out) {
    const std::vector<std::string> calibrators = named(options.calibrators);
    const std::vector<Tensor> inputs = read_first_inputs(held_out, reference.graph(), options.run);
    const std::vector<std::string> outputs = values_to_compare(reference, inputs);
    if (outputs.empty())
      throw Error(ErrorCode::InvalidOption,
                  "--equalize auto and --absorb-bias on measure at the outputs, but no output that can run comes from "
                  "float values",
                  "name the families: gate, relu, linear, norm");
    std::vector<Model> variants;
    for (const Model& model : models) add_variants(model, fit, inputs, options, calibrators, variants);
    const Evaluation evaluation =
        evaluate_variants(reference, variants, outputs, held_out, options.run, "judging equalization");
    std::vector<std::vector<double>> scores(models.size());
    for (size_t v = 0; v < variants.size(); ++v)
      scores[v / calibrators.size()].push_back(mean_sqnr_db(evaluation.report(v)));
    return scores;
  };
}

}  // namespace detent
