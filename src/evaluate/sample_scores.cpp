#include "evaluate/sample_scores.h"

#include <algorithm>
#include <cmath>

#include "core/mean.h"

namespace detent {

namespace {

constexpr double kLeastDb = -60;
constexpr double kUsualCeilingDb = 60, kAboveMeanDb = 30;

/// Returns the SQNR of the worst output without a ceiling: infinite where nothing differs. nullopt without any output.
std::optional<double> score_of(const std::vector<ErrorSums>& outputs, const std::vector<double>& average) {
  std::optional<double> worst;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (average[i] == 0) continue;
    const double db = sqnr_db(std::max(outputs[i].signal, average[i]), outputs[i].noise);
    worst = std::min(worst.value_or(HUGE_VAL), std::isnan(db) ? kLeastDb : std::max(db, kLeastDb));
  }
  return worst;
}

/// Limits the samples of one variant to ceiling_db() of their mean noise.
std::vector<double> bounded(const std::vector<std::optional<double>>& samples) {
  double noise = 0;
  for (const auto& db : samples) noise += db ? std::pow(10, -*db / 10) : 0;
  const double ceiling = ceiling_db(noise / static_cast<double>(std::max<size_t>(1, samples.size())));
  std::vector<double> scores;
  for (const auto& db : samples) scores.push_back(db ? std::min(*db, ceiling) : 0);
  return scores;
}

}  // namespace

std::vector<double> average_signals(const std::vector<std::vector<ErrorSums>>& batches, size_t outputs) {
  std::vector<double> average(outputs);
  for (size_t i = 0; i < outputs; ++i) {
    double sum = 0;
    for (const std::vector<ErrorSums>& batch : batches) sum += batch[i].is_float ? batch[i].signal : 0;
    average[i] = std::isfinite(sum) ? sum / static_cast<double>(batches.size()) : 0;
  }
  return average;
}

double ceiling_db(double mean_noise) {
  if (!(mean_noise > 0)) return kExactDb;
  return std::clamp(-10 * std::log10(mean_noise) + kAboveMeanDb, kUsualCeilingDb, kExactDb);
}

std::vector<std::vector<double>> sample_scores(const Evaluation& evaluation) {
  std::vector<std::vector<double>> scores(evaluation.by_batch.size());
  for (size_t v = 0; v < scores.size(); ++v) {
    const auto average = average_signals(evaluation.by_batch[v], evaluation.outputs.size());
    std::vector<std::optional<double>> samples;
    for (const std::vector<ErrorSums>& batch : evaluation.by_batch[v]) samples.push_back(score_of(batch, average));
    scores[v] = bounded(samples);
  }
  return scores;
}

std::optional<double> class_agreement(const Evaluation& evaluation, size_t variant) {
  std::optional<double> lowest;
  for (const ErrorSums& sums : evaluation.errors.at(variant)) {
    if (!sums.is_float || sums.by_sign || sums.positions == 0 || sums.meaning() != OutputMeaning::Classes) continue;
    if (sums.positions != static_cast<int64_t>(evaluation.samples)) continue;
    const double agreement = static_cast<double>(sums.agreeing) / static_cast<double>(sums.positions);
    lowest = std::min(lowest.value_or(1), agreement);
  }
  return lowest;
}

}  // namespace detent
