#include "tune/tie_band.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/mean.h"
#include "evaluate/error_sums.h"

namespace detent {

namespace {

constexpr double kBandErrors = 1;

}  // namespace

double score_db(std::span<const double> samples_db) {
  if (samples_db.empty()) return 0;
  std::vector<double> noises;
  for (const double db : samples_db) noises.push_back(std::pow(10, -db / 10));
  return (mean(samples_db) - 10 * std::log10(mean(noises))) / 2;
}

double told_score_db(std::span<const double> samples_db) {
  const bool exact = std::ranges::all_of(samples_db, [](double db) { return db >= kExactDb; });
  return exact && !samples_db.empty() ? HUGE_VAL : score_db(samples_db);
}

double difference_error_db(std::span<const double> better, std::span<const double> other) {
  std::vector<double> differences;
  for (size_t i = 0; i < better.size(); ++i) differences.push_back(better[i] - other[i]);
  return standard_error(differences);
}

size_t choose_within_band(std::span<const CandidateScores> candidates) {
  std::vector<double> scores;
  size_t best = 0;
  for (const CandidateScores& candidate : candidates) {
    scores.push_back(score_db(candidate.samples_db));
    if (scores.back() > scores[best]) best = scores.size() - 1;
  }
  size_t chosen = best;
  const auto order = [&](size_t i) { return std::tuple(candidates[i].regret_db, -scores[i], i); };
  for (size_t i = 0; i < candidates.size(); ++i) {
    const double band = difference_error_db(candidates[best].samples_db, candidates[i].samples_db);
    if (scores[best] - scores[i] <= kBandErrors * band && order(i) < order(chosen)) chosen = i;
  }
  return chosen;
}

}  // namespace detent
