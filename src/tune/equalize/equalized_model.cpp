#include "tune/equalize/equalized_model.h"

#include "calibrate/calibration.h"
#include "calibrate/choose_ranges.h"
#include "calibrate/outlier_samples.h"
#include "detent/base/error.h"
#include "exec/find_shapes.h"
#include "place/make_plan.h"
#include "run/sample_subset.h"
#include "tune/equalize/equalizer.h"

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

void check_asked(const char* option, const std::string& wish, const std::string& measured) {
  if (wish == measured) return;
  throw Error(ErrorCode::TableMismatch,
              std::string("the table was measured with ") + option + " " + measured + ", but " + option + " " + wish +
                  " is asked for",
              std::string("leave ") + option + " out, or calibrate again with " + option + " " + wish);
}

EqualizeReport describe_equalization(const CalibrationTable& table) {
  EqualizeReport report;
  report.requested = (table.equalize.empty() ? "off" : table.equalize) + ", by the table";
  for (const EqualizeFamily family : kEqualizeFamilies) {
    EqualizeReport::Family line{std::string(name_of(family))};
    for (const auto& [name, value] : table.equalization.values) line.values += value.family == family;
    line.kept = line.values > 0;
    report.kept |= line.kept;
    report.families.push_back(line);
  }
  return report;
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
  return equalize_model(model, request, data, options, make_fold_judge(model, judged));
}

std::optional<EqualizedModel> equalize_by_table(const CalibrationTable& table, Model& model,
                                                const EqualizeRequest& requested, std::span<const Tensor> inputs) {
  using Mode = EqualizeRequest::Mode;
  if (requested.mode != Mode::Unset)
    check_asked("--equalize", requested.mode == Mode::Auto ? "auto" : to_text(requested.items),
                table.equalize.empty() ? "off" : table.equalize);
  if (table.equalize.empty()) return std::nullopt;
  EqualizedModel evened{table.equalization, describe_equalization(table)};
  apply_equalization(model, table.equalization, inputs);
  return evened;
}

}  // namespace detent
