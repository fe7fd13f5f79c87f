#include "evaluate/sample_scores.h"

#include <algorithm>
#include <cmath>

#include "core/mean.h"

namespace detent {

namespace {

constexpr double kMostDb = 60;

/// The average sample's signal at each output; 0 where the output says nothing.
std::vector<double> average_signals(const std::vector<std::vector<ErrorSums>>& batches, size_t outputs) {
  std::vector<double> average(outputs);
  for (size_t i = 0; i < outputs; ++i) {
    double sum = 0;
    for (const std::vector<ErrorSums>& batch : batches) sum += batch[i].is_float ? batch[i].signal : 0;
    average[i] = std::isfinite(sum) ? sum / static_cast<double>(batches.size()) : 0;
  }
  return average;
}

double score_of(const std::vector<ErrorSums>& outputs, const std::vector<double>& average) {
  std::optional<double> worst;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (average[i] == 0) continue;
    const double db = sqnr_db(std::max(outputs[i].signal, average[i]), outputs[i].noise);
    const double bounded = std::isnan(db) ? -kMostDb : std::clamp(db, -kMostDb, kMostDb);
    worst = std::min(worst.value_or(kMostDb), bounded);
  }
  return worst.value_or(0);
}

}  // namespace

std::vector<std::vector<double>> sample_scores(const Evaluation& evaluation) {
  std::vector<std::vector<double>> scores(evaluation.by_batch.size());
  for (size_t v = 0; v < scores.size(); ++v) {
    const auto average = average_signals(evaluation.by_batch[v], evaluation.outputs.size());
    for (const std::vector<ErrorSums>& batch : evaluation.by_batch[v]) scores[v].push_back(score_of(batch, average));
  }
  return scores;
}

std::optional<double> class_agreement(const Evaluation& evaluation, size_t variant) {
  std::optional<double> lowest;
  for (const ErrorSums& sums : evaluation.errors.at(variant)) {
    if (!sums.is_float || sums.by_sign || sums.positions == 0 || !sums.tells_classes()) continue;
    if (sums.positions != static_cast<int64_t>(evaluation.samples)) continue;
    const double agreement = static_cast<double>(sums.agreeing) / static_cast<double>(sums.positions);
    lowest = std::min(lowest.value_or(1), agreement);
  }
  return lowest;
}

}  // namespace detent
