#include "tune/equalize/equalized_model.h"

#include "calibrate/calibration.h"
#include "calibrate/choose_ranges.h"
#include "calibrate/outlier_samples.h"
#include "exec/find_shapes.h"
#include "place/make_plan.h"
#include "run/sample_subset.h"
#include "tune/equalize/absorb_biases.h"

namespace detent {

namespace {

std::set<std::string> outliers_of(const Model& model, const EqualizeSamples& samples, const JudgeOptions& judged) {
  const Graph& graph = model.graph();
  const ValueShapes shapes = find_shapes(graph, samples.inputs);
  const PlacementPlan plan = make_placement_plan(graph, judged.target, judged.placement, shapes);
  return names_of(find_outlier_samples(calibrate(graph, plan.quantized_values(), samples.source, judged.run)));
}

}  // namespace

std::optional<EqualizedModel> equalize_as_requested(Model& model, const EqualizeRequest& request,
                                                    const EqualizeSamples& samples, const FactorOptions& options,
                                                    JudgeOptions judged) {
  if (!request.asks()) return std::nullopt;
  const std::set<std::string> outliers = outliers_of(model, samples, judged);
  const SampleSubset usual(samples.source, samples_without(samples.source, outliers));
  const bool kept = samples.outliers == OutlierPolicy::Keep, dropped = samples.outliers == OutlierPolicy::Drop;
  if (samples.outliers == OutlierPolicy::Clip) judged.clipped_samples = outliers;
  const DataSource& all = samples.source;
  const EqualizeData data{samples.inputs, kept ? all : usual, dropped ? usual : all, judged.run,
                          kept ? outliers : no_samples()};
  EqualizedModel evened;
  evened.report.requested = "off";
  Absorption absorption;
  if (request.absorbs()) {
    absorption = absorb_biases(model, data.inputs, data.source, data.settings, make_fold_judge(model, judged));
    evened.original = std::move(absorption.original);
  }
  if (request.equalizes()) {
    const Model& reference = evened.original ? *evened.original : model;
    EqualizeOutcome outcome = equalize_model(model, request, data, options, make_fold_judge(reference, judged));
    evened.equalization = std::move(outcome.equalization);
    evened.report = std::move(outcome.report);
  }
  evened.equalization.shifts = std::move(absorption.shifts);
  if (request.absorbs()) evened.report.absorbed = std::move(absorption.report);
  return evened;
}

const Model& reference_of(const Model& model, const std::optional<EqualizedModel>& evened) {
  return evened && evened->original ? *evened->original : model;
}

}  // namespace detent
