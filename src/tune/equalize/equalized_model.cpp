#include "tune/equalize/equalized_model.h"

#include "calibrate/calibration.h"
#include "calibrate/choose_ranges.h"
#include "calibrate/outlier_samples.h"
#include "exec/find_shapes.h"
#include "place/make_plan.h"
#include "run/sample_subset.h"

namespace detent {

namespace {

PlacementPlan plan_of(const Model& model, const EqualizeSamples& samples, const JudgeOptions& judged) {
  const ValueShapes shapes = find_shapes(model.graph(), samples.inputs);
  return make_placement_plan(model.graph(), judged.target, judged.placement, shapes);
}

std::set<std::string> outliers_of(const Model& model, const PlacementPlan& plan, const EqualizeSamples& samples,
                                  const JudgeOptions& judged) {
  const Graph& graph = model.graph();
  return names_of(find_outlier_samples(calibrate(graph, plan.quantized_values(), samples.source, judged.run)));
}

/// The report where nothing is INT8: whatever was changed, no output would come nearer, so nothing is measured.
EqualizedModel nothing_to_gain(const JudgeOptions& judged) {
  const std::string why = "nothing is INT8 on " + std::string(judged.target.name) + ", so there is nothing to gain";
  EqualizedModel model;
  model.report.requested = "auto";
  model.report.notes.push_back(why);
  return model;
}

}  // namespace

std::optional<EqualizedModel> equalize_as_requested(Model& model, const EqualizeRequest& request,
                                                    const EqualizeSamples& samples, const FactorOptions& options,
                                                    JudgeOptions judged) {
  if (!request.equalizes()) return std::nullopt;
  const PlacementPlan plan = plan_of(model, samples, judged);
  if (request.mode != EqualizeRequest::Mode::List && plan.quantized_values().empty()) return nothing_to_gain(judged);
  const std::set<std::string> outliers = outliers_of(model, plan, samples, judged);
  const SampleSubset usual(samples.source, samples_without(samples.source, outliers));
  const bool kept = samples.outliers == OutlierPolicy::Keep, dropped = samples.outliers == OutlierPolicy::Drop;
  if (samples.outliers == OutlierPolicy::Clip) judged.clipped_samples = outliers;
  const DataSource& all = samples.source;
  const EqualizeData data{samples.inputs, kept ? all : usual, dropped ? usual : all, judged.run,
                          kept ? outliers : no_samples()};
  EqualizeOutcome outcome = equalize_model(model, request, data, options, make_fold_judge(model, judged));
  return EqualizedModel{std::move(outcome.equalization), std::move(outcome.report)};
}

}  // namespace detent
