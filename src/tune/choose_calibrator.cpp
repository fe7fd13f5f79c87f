#include "tune/choose_calibrator.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "run/deciding_samples.h"
#include "evaluate/evaluate_models.h"
#include "pipeline/quantize_report.h"
#include "run/sample_subset.h"
#include "core/stopwatch.h"

namespace detent {

namespace {

constexpr std::array<std::string_view, 6> kCandidates = {
    "max", "entropy", "mse", "percentile:99.9", "percentile:99.99", "percentile:99.999"};

/// 20 log10(2^24): a float is not known better than this.
constexpr double kExactDb = 144.5;

Error nothing_to_compare(const std::string& why) {
  return {ErrorCode::InvalidOption, "--calibrator auto measures at the outputs, but " + why,
          "name a calibrator: percentile:99.99 is a good first choice"};
}

}  // namespace

void DistinctRanges::add(std::map<ValueId, Range> chosen) {
  const auto same = std::find(ranges.begin(), ranges.end(), chosen);
  variant_of.push_back(static_cast<size_t>(same - ranges.begin()));
  if (same == ranges.end()) ranges.push_back(std::move(chosen));
}

double mean_sqnr_db(const ErrorReport& error) {
  double sum = 0;
  for (const auto& output : error.outputs)
    sum += std::isnan(output.sqnr_db) ? -kExactDb : std::clamp(output.sqnr_db, -kExactDb, kExactDb);
  return error.outputs.empty() ? -kExactDb : sum / static_cast<double>(error.outputs.size());
}

bool is_auto(std::string_view calibrator) { return calibrator == "auto"; }

MeasuredRanges measure_calibrators(const Model& model, const PlacementPlan& plan, const RewriteOptions& format,
                                   const RangesOf& ranges_of, const DataSource* source, const RunSettings& settings) {
  if (!source) throw nothing_to_compare("there is no --data to run");
  const Stopwatch stopwatch;
  const SampleSubset samples(*source, deciding_samples(*source));
  const auto names = values_to_compare(model, read_first_inputs(samples, model.graph(), settings));
  if (names.empty()) throw nothing_to_compare("no output that can run comes from float values");

  DistinctRanges variants;
  for (const std::string_view name : kCandidates) variants.add(ranges_of(*make_calibrator(name)));
  std::vector<Model> models;
  for (const auto& ranges : variants.ranges) {
    models.push_back(model.clone());
    apply_patch(models.back(), make_qdq_patch(model.graph(), plan, ranges, format).patch);
  }
  const std::string task = "measuring " + std::to_string(kCandidates.size()) + " calibrators";
  const Evaluation evaluation = evaluate_variants(model, models, names, samples, settings, task);
  if (evaluation.outputs.empty()) throw nothing_to_compare("the shapes of all outputs depend on what they hold");

  MeasuredRanges result;
  result.measurement.samples = evaluation.samples;
  auto& candidates = result.measurement.candidates;
  for (size_t c = 0; c < kCandidates.size(); ++c) {
    const ErrorReport error = evaluation.report(variants.variant_of[c]);
    candidates.push_back({std::string(kCandidates[c]), mean_sqnr_db(error), error});
    if (candidates[c].score_db > candidates[result.measurement.winner].score_db) result.measurement.winner = c;
  }
  result.ranges = variants.ranges[variants.variant_of[result.measurement.winner]];
  result.measurement.seconds = stopwatch.seconds();
  return result;
}

}  // namespace detent
