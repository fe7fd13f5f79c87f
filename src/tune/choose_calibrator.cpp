#include "tune/choose_calibrator.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/stopwatch.h"
#include "detent/error.h"
#include "evaluate/compared_values.h"
#include "evaluate/error_sums.h"
#include "evaluate/evaluate_models.h"
#include "rewrite/quantized_model.h"
#include "run/deciding_samples.h"
#include "run/model_inputs.h"
#include "run/sample_subset.h"

namespace detent {

namespace {

constexpr std::array<std::string_view, 6> kCandidates = {
    "max", "entropy", "mse", "percentile:99.9", "percentile:99.99", "percentile:99.999"};

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

bool is_auto(std::string_view calibrator) { return calibrator == "auto"; }

ChosenRanges choose_calibrator(const Model& model, const PlacementPlan& plan, const RewriteOptions& format,
                               const RangesOf& ranges_of, const DataSource* source, const RunSettings& settings) {
  if (!source) throw nothing_to_compare("there is no --data to run");
  const Stopwatch stopwatch;
  const SampleSubset samples(*source, deciding_samples(*source));
  const auto names = values_to_compare(model, read_first_inputs(samples, model.graph(), settings));
  if (names.empty()) throw nothing_to_compare("no output that can run comes from float values");

  DistinctRanges variants;
  for (const std::string_view name : kCandidates) variants.add(ranges_of(*make_calibrator(name)));
  std::vector<Model> models;
  for (const auto& ranges : variants.ranges) models.push_back(quantized_model(model, plan, ranges, format));
  const std::string task = "measuring " + std::to_string(kCandidates.size()) + " calibrators";
  const Evaluation evaluation = evaluate_models(models, {model, names, samples, settings, task});
  if (evaluation.outputs.empty()) throw nothing_to_compare("the shapes of all outputs depend on what they hold");

  CalibratorMeasurement measurement{.samples = evaluation.samples};
  auto& candidates = measurement.candidates;
  for (size_t c = 0; c < kCandidates.size(); ++c) {
    const ErrorReport error = evaluation.report(variants.variant_of[c]);
    candidates.push_back({std::string(kCandidates[c]), mean_sqnr_db(error), error});
    if (candidates[c].score_db > candidates[measurement.winner].score_db) measurement.winner = c;
  }
  measurement.seconds = stopwatch.seconds();
  return {make_calibrator(candidates[measurement.winner].calibrator),
          std::move(variants.ranges[variants.variant_of[measurement.winner]]), std::move(measurement)};
}

}  // namespace detent
