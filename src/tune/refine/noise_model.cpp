#include "tune/refine/noise_model.h"

#include <algorithm>
#include <cmath>

#include "core/mean.h"
#include "evaluate/sample_scores.h"
#include "tune/acceptance.h"

namespace detent {

namespace {

/// -60 dB, as in sample_scores().
constexpr double kMost = 1e6;
constexpr double kLeastNoiseGainDb = 1e-4;
constexpr int kRounds = 20;

}  // namespace

RelativeNoise relative_noise(const BatchErrorSums& errors, const BatchErrorSums& signals) {
  const size_t outputs = signals.empty() ? 0 : signals.front().size();
  RelativeNoise noise(errors.size() * outputs);
  const std::vector<double> average = average_signals(signals, outputs);
  for (size_t o = 0; o < outputs; ++o) {
    if (average[o] == 0) continue;
    for (size_t b = 0; b < errors.size(); ++b) {
      const double relative = errors[b][o].noise / std::max(signals[b][o].signal, average[o]);
      noise[b * outputs + o] = std::isfinite(relative) ? relative : kMost;
    }
  }
  return noise;
}

NoiseModel::NoiseModel(const RelativeNoise& whole, std::vector<std::vector<RelativeNoise>> by_unit, size_t outputs)
    : by_unit_(std::move(by_unit)), chosen_(by_unit_.size()), total_(whole.size()), outputs_(outputs) {
  for (const auto& trials : by_unit_)
    for (size_t i = 0; i < total_.size(); ++i) total_[i] += trials.front()[i];
  for (size_t i = 0; i < total_.size(); ++i) total_[i] = std::max(total_[i], whole[i]);
  double worst_noises = 0, samples = 0;
  for (size_t first = 0; first < total_.size(); first += outputs_, ++samples)
    worst_noises += *std::max_element(&total_[first], &total_[first] + outputs_);
  ceiling_db_ = ceiling_db(samples > 0 ? worst_noises / samples : 0);
}

double NoiseModel::bounded_db(double noise) const {
  return noise > 0 ? std::min(-10 * std::log10(std::min(noise, kMost)), ceiling_db_) : ceiling_db_;
}

std::vector<double> NoiseModel::gains_db(size_t unit, size_t trial) const {
  const RelativeNoise &before = by_unit_[unit][chosen_[unit]], &after = by_unit_[unit][trial];
  std::vector<double> gains;
  for (size_t first = 0; first < total_.size(); first += outputs_) {
    double worst_before = ceiling_db_, worst_after = ceiling_db_;
    for (size_t i = first; i < first + outputs_; ++i) {
      worst_before = std::min(worst_before, bounded_db(total_[i]));
      worst_after = std::min(worst_after, bounded_db(total_[i] - before[i] + after[i]));
    }
    gains.push_back(worst_after - worst_before);
  }
  return gains;
}

bool NoiseModel::improve(size_t unit) {
  size_t best = chosen_[unit];
  double most = kLeastNoiseGainDb;
  for (size_t trial = 0; trial < by_unit_[unit].size(); ++trial) {
    const std::vector<double> gains = gains_db(unit, trial);
    if (mean(gains) <= most || !is_certain_gain(gains)) continue;
    most = mean(gains);
    best = trial;
  }
  if (best == chosen_[unit]) return false;
  for (size_t i = 0; i < total_.size(); ++i) total_[i] += by_unit_[unit][best][i] - by_unit_[unit][chosen_[unit]][i];
  chosen_[unit] = best;
  return true;
}

void NoiseModel::descend() {
  for (int round = 0; round < kRounds; ++round) {
    bool changed = false;
    for (size_t unit = 0; unit < by_unit_.size(); ++unit) changed = improve(unit) || changed;
    if (!changed) return;
  }
}

bool is_certain_gain(std::span<const double> gains_db) {
  return mean(gains_db) > difference_error_db(gains_db, std::vector<double>(gains_db.size()));
}

}  // namespace detent
