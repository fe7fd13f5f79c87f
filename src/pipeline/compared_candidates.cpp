#include "pipeline/compared_candidates.h"

#include <algorithm>
#include <utility>

#include "core/stopwatch.h"
#include "detent/base/calibrator.h"
#include "detent/base/error.h"
#include "detent/base/progress.h"
#include "pipeline/parts/cast_nodes.h"
#include "pipeline/parts/improve.h"
#include "pipeline/parts/provenance.h"
#include "prepare/read_model_to_run.h"
#include "rewrite/quantized_model.h"
#include "tune/correct_biases.h"
#include "tune/refine/round_weights.h"

namespace detent {

Provenance Candidates::origin_of_candidate(size_t candidate) const {
  Provenance provenance = origins[variant_of[candidate]];
  provenance.calibrator = calibrators[candidate];
  return provenance;
}

std::vector<std::string> Candidates::folder_names() const {
  std::vector<std::string> folders(models.size() + 1);
  folders[0] = "fp32";
  for (size_t c = names.size(); c-- > 0;) folders[1 + variant_of[c]] = names[c];
  std::ranges::copy(baselines, folders.end() - static_cast<std::ptrdiff_t>(baselines.size()));
  return folders;
}

std::vector<std::string> candidate_names(const std::vector<std::string>& specs) {
  std::vector<std::string> names;
  for (const std::string& spec : specs) {
    names.push_back(is_auto(spec) ? spec : make_calibrator(spec)->name());
    if (std::find(names.begin(), names.end() - 1, names.back()) != names.end() - 1)
      throw Error(ErrorCode::Usage, "--calibrators names " + names.back() + " twice");
  }
  if (names.empty()) throw Error(ErrorCode::Usage, "--calibrators names none");
  return names;
}

Candidates make_candidates(const std::vector<std::string>& names, const Prepared& prepared, const Measured& measured,
                           const CompareOptions& options) {
  Candidates candidates{.names = names};
  const RangesOf ranges_of = ranges_from(prepared, measured);
  DistinctRanges distinct;
  for (const std::string& name : names) {
    const Stopwatch stopwatch;
    if (is_auto(name)) {
      auto chosen = choose(prepared, measured, nullptr);
      candidates.calibrators.push_back(chosen.calibrator->name());
      distinct.add(std::move(chosen.ranges));
    } else {
      candidates.calibrators.push_back(name);
      distinct.add(ranges_of(*make_calibrator(name)));
    }
    candidates.choosing_seconds.push_back(stopwatch.seconds());
  }
  candidates.variant_of = std::move(distinct.variant_of);
  candidates.ranges = std::move(distinct.ranges);
  candidates.types.resize(candidates.ranges.size());
  const Model& model = prepared.model();
  const PlacementPlan& plan = prepared.plan;
  const RewriteOptions& format = prepared.recipe.format;
  const DataSource* source = prepared.data.get();
  WeightMemo weights;  // the same in all of them
  for (const auto& ranges : candidates.ranges) {
    const Stopwatch stopwatch;
    GraphPatch constants;
    if (source && weights_are_rounded(Accuracy::Balanced, options.placement.type))
      constants = round_weights(model, plan, ranges, format, source, options.run).patch;
    candidates.weights_rounded.push_back(!constants.empty());
    WeightMemo* const unchanged = constants.empty() ? &weights : nullptr;
    GraphPatch biases;
    if (options.equalize.bias_correction.value_or(false))
      biases = correct_biases(model, plan, ranges, format, source, options.run, constants).patch;
    const bool corrected = !biases.empty();
    constants = joined(constants, biases);
    candidates.models.push_back(quantized_model(model, plan, ranges, format, constants, unchanged));
    candidates.origins.push_back(describe_origin(
        prepared, measured.calibration,
        {options.placement, options.format, options.equalize, Accuracy::Balanced, options.outliers, corrected}));
    candidates.origins.back().ranges = ranges_fingerprint(model.graph(), ranges);
    candidates.constants.push_back(std::move(constants));
    candidates.making_seconds.push_back(stopwatch.seconds());
  }
  return candidates;
}

void note_calibration(ComparisonReport& report, const Prepared& prepared, const Measured& measured) {
  report.calibration_samples = measured.calibration.samples;
  report.calibration_seconds = measured.calibration.seconds;
  report.skipped_samples = measured.calibration.skipped;
  report.outliers = measured.outlier_report;
  report.equalized = prepared.equalize_report();
}

void add_baselines(Candidates& candidates, const std::filesystem::path& model, const DataSource& source,
                   const RunSettings& run) {
  for (const auto& [type, name] : {std::pair(FloatType::Fp16, "fp16"), std::pair(FloatType::Bf16, "bf16")}) {
    const Stopwatch stopwatch;
    Model cast = read_float_model(model);
    try {
      static_cast<void>(cast_nodes(cast, type, source, run));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::Unsupported) throw;
      run.reporter->warn(std::string("no row ") + name + ": " + error.what());
      continue;
    }
    candidates.models.push_back(std::move(cast));
    candidates.making_seconds.push_back(stopwatch.seconds());
    candidates.baselines.emplace_back(name);
  }
}

}  // namespace detent
