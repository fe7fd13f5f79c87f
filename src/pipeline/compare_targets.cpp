#include <string>
#include <utility>
#include <vector>

#include "calibrate/shared_pass.h"
#include "core/process/early_end.h"
#include "core/stop.h"
#include "detent/base/error.h"
#include "detent/compare.h"
#include "options/command_inputs.h"
#include "pipeline/candidate_judge.h"
#include "pipeline/parts/accuracy_level.h"
#include "pipeline/parts/chosen.h"
#include "pipeline/parts/plan_report.h"
#include "pipeline/parts/target_errors.h"
#include "place/engines/target.h"
#include "prepare/read_model_to_run.h"

namespace detent {

namespace {

/// Returns a variant with the plan and its floats, without edges and graph, which are large.
TargetVariant facts_of_target(const Prepared& prepared) {
  TargetVariant variant{{}, prepared.recipe.target->spec(), "", plan_report_of(prepared), prepared.equalize_report()};
  if (prepared.half) add_floats(variant.plan, prepared.half->report, prepared.graph(), prepared.plan, prepared.facts);
  variant.plan.edges.clear();
  variant.plan.graph = {};
  return variant;
}

/// Quantizes for one target with each calibrator, and adds the variants without scores to the report. They are called
/// by the target, and by the calibrator where there are several.
Candidates candidates_of(Prepared made_for, const std::vector<std::string>& names, const CompareOptions& options,
                         CompareTargetsReport& report) {
  Attempt attempt = measure(std::move(made_for));
  const auto& [prepared, measured, chosen] = attempt;
  Candidates made = make_candidates(names, attempt, options);
  if (report.calibration_samples == 0) note_calibration(report, measured, prepared.recipe.data);
  TargetVariant variant = facts_of_target(prepared);
  for (ComparedCandidate& one : made.candidates) {
    one.name = names.size() == 1 ? variant.target : variant.target + " " + one.name;
    variant.calibrator = one.calibrator;
    report.variants.push_back(variant);
  }
  return made;
}

/// Quantizes for every target after one pass over the samples. Only one float model at a time is in memory.
Candidates make_targeted_candidates(const CompareOptions& options, const RequestedSamples& samples,
                                    const std::vector<std::string>& names, CompareTargetsReport& report) {
  SharedPass pass;
  std::vector<Recipe> recipes;
  std::vector<Prepared> prepared;
  for (const std::string& target : options.targets) {
    CompareOptions one = options;
    one.target = target;
    recipes.push_back(naming_target(target, [&] { return recipe_as_quantized(one, samples, names); }));
    recipes.back().pass = &pass;
  }
  for (size_t i = 0; i < recipes.size(); ++i) {
    prepared.push_back(naming_target(options.targets[i], [&] { return make(std::move(recipes[i])); }));
    announce_values(prepared.back());
    release_model(prepared.back());
  }
  Candidates all;
  bool half = false;
  const std::shared_ptr<DataSource> data = prepared.front().data;
  for (size_t i = 0; i < prepared.size(); ++i) {
    const Unstopped whole;
    prepared[i] = changed(std::move(prepared[i]));
    half |= prepared[i].half.has_value();
    all.append(naming_target(options.targets[i],
                             [&] { return candidates_of(std::move(prepared[i]), names, options, report); }));
  }
  if (half) add_baselines(all, options.model, *data, options.run);
  return all;
}

}  // namespace

CompareTargetsReport compare_targets(const CompareOptions& options) {
  const StopScope stop(options.run.stop);
  const EarlyEnd early(options.run.time_limit);
  const InputFiles protected_inputs = protect_inputs(options);
  check_targets("--targets", options.targets);
  if (options.layer_samples)
    throw Error(ErrorCode::Usage, "--layers does not apply to --targets",
                "'detent sensitivity --target' measures the layers of one target");
  const std::vector<std::string> names = candidate_names(options.calibrators);
  const RequestedSamples samples = requested_samples(options.data, &options.evaluation.data, options.run);
  const Model reference = read_float_model(options.model);
  const CandidateJudge judge(options, samples.eval, reference);

  CompareTargetsReport report;
  report.model = options.model.string();
  const ModelFacts facts = facts_of(reference);
  report.opset = facts.opset, report.nodes = facts.nodes;
  for (const std::string& target : options.targets) report.targets.push_back(find_target(target).spec());

  // each target quantized from the same measurements, then all judged on the same samples
  Candidates candidates = make_targeted_candidates(options, samples, names, report);
  judge.judge(report, candidates, std::to_string(candidates.candidates.size()) + " candidates");
  if (report.detections) report.detections->quantized = report.winner;
  return report;
}

}  // namespace detent
