#include "tune/acceptance.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/mean.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "evaluate/compared_values.h"
#include "evaluate/error_sums.h"
#include "evaluate/judged_batches.h"
#include "evaluate/sample_scores.h"
#include "run/sample_counts.h"

namespace detent {

namespace {

constexpr double kBandErrors = 1;
/// Half of the bound that users are promised: single samples move by some tenths with any change.
constexpr double kWorstMayFallDb = 0.5;

double weighted_mean(std::span<const double> values, std::span<const double> weights) {
  if (weights.empty()) return mean(values);
  return std::inner_product(values.begin(), values.end(), weights.begin(), 0.0);
}

}  // namespace

double score_db(std::span<const double> samples_db, std::span<const double> weights) {
  if (samples_db.empty()) return 0;
  std::vector<double> noises;
  for (const double db : samples_db) noises.push_back(std::pow(10, -db / 10));
  return (weighted_mean(samples_db, weights) - 10 * std::log10(weighted_mean(noises, weights))) / 2;
}

double told_score_db(std::span<const double> samples_db, std::span<const double> weights) {
  const bool exact = std::ranges::all_of(samples_db, [](double db) { return db >= kExactDb; });
  return exact && !samples_db.empty() ? HUGE_VAL : score_db(samples_db, weights);
}

double difference_error_db(std::span<const double> better, std::span<const double> other,
                           std::span<const double> weights) {
  std::vector<double> differences;
  for (size_t i = 0; i < better.size(); ++i) differences.push_back(better[i] - other[i]);
  if (weights.empty() || differences.size() < 2) return standard_error(differences);
  // The sum of independent parts; with equal weights it is standard_error().
  const double middle = weighted_mean(differences, weights);
  double squares = 0;
  for (size_t i = 0; i < differences.size(); ++i) {
    const double part = weights[i] * (differences[i] - middle);
    squares += part * part;
  }
  const auto count = static_cast<double>(differences.size());
  return std::sqrt(squares * count / (count - 1));
}

size_t choose_within_band(std::span<const CandidateScores> candidates) {
  std::vector<double> scores;
  size_t best = 0;
  for (const CandidateScores& candidate : candidates) {
    scores.push_back(score_db(candidate.samples_db, candidate.weights));
    if (scores.back() > scores[best]) best = scores.size() - 1;
  }
  size_t chosen = best;
  const auto order = [&](size_t i) { return std::tuple(candidates[i].regret_db, -scores[i], i); };
  for (size_t i = 0; i < candidates.size(); ++i) {
    const double band =
        difference_error_db(candidates[best].samples_db, candidates[i].samples_db, candidates[i].weights);
    if (scores[best] - scores[i] <= kBandErrors * band && order(i) < order(chosen)) chosen = i;
  }
  return chosen;
}

std::string fall_text(double before_db, double after_db) {
  if (std::isinf(before_db) && before_db > after_db) return fmt::format("{:.2f} dB instead of exact", after_db);
  const double fall = before_db - after_db;
  return fall < 0.005 ? "no higher" : fmt::format("{:.2f} dB lower", fall);
}

double worst_tenth_db(std::span<const double> samples_db) {
  std::vector<double> sorted(samples_db.begin(), samples_db.end());
  std::ranges::sort(sorted);
  return mean(std::span(sorted).first((sorted.size() + 9) / 10));
}

double difference_interval_db(std::span<const double> better, std::span<const double> other) {
  return better.size() < 2 ? HUGE_VAL : interval_errors(better.size()) * difference_error_db(better, other);
}

AcceptanceReport accept_change(std::span<const double> before, std::span<const double> after,
                               const Requirements& required) {
  AcceptanceReport report;
  report.samples = before.size();
  const double before_db = told_score_db(before), after_db = told_score_db(after);
  report.before_db = before_db, report.after_db = after_db;
  report.worst_before_db = worst_tenth_db(before);
  report.worst_after_db = worst_tenth_db(after);
  const double gain = score_db(after) - score_db(before);
  const auto& [agreement_before, agreement_after, least_gain, fall_db, enough_db] = required;
  const bool agrees = !agreement_before || !agreement_after || *agreement_after >= *agreement_before;
  if (before.empty())
    report.reason = "no sample to judge it by";
  else if (!(after_db >= std::min(enough_db, before_db - fall_db)))
    report.reason = "mean SQNR " + fall_text(before_db, after_db);
  else if (!(report.worst_after_db >= std::min(enough_db, report.worst_before_db - fall_db) - kWorstMayFallDb))
    report.reason = "worst tenth of samples " + fall_text(report.worst_before_db, report.worst_after_db);
  else if (!agrees)
    report.reason = fmt::format("{:.2f} % of classes as in FP32 instead of {:.2f} %", 100 * *agreement_after,
                                100 * *agreement_before);
  else if (before.size() < kFewestToJudge && !(after_db >= enough_db) &&
           !(gain + fall_db > difference_interval_db(after, before)))
    report.reason = fmt::format("{} cannot tell its gain from chance", plural(before.size(), "sample"));
  else if (least_gain && !(gain > *least_gain + difference_error_db(after, before)))
    report.reason = *least_gain > 0 ? fmt::format("gains less than {:g} dB", *least_gain)
                                    : "no gain above its standard error on held-out samples";
  report.kept = report.reason.empty();
  return report;
}

AcceptanceReport judge_change(const ChangeQuestion& question) {
  const auto& [reference, before, after, samples, settings, task, gain_db, fall_db, enough_db] = question;
  const Stopwatch stopwatch;
  std::vector<std::string> names = values_to_compare(reference, samples, settings);
  AcceptanceReport report;
  report.reason = "no output can be compared";
  if (names.empty()) return report;
  const JudgedBatches batches(reference, std::move(names), samples, settings, nullptr);
  const auto take = [&](size_t i) { return i == 0 ? before() : after(); };
  const Evaluation evaluation = evaluate_on_batches(2, take, batches, settings, task, 0);
  const auto scores = sample_scores(evaluation);
  report = accept_change(scores[0], scores[1],
                         {class_agreement(evaluation, 0), class_agreement(evaluation, 1), gain_db, fall_db, enough_db});
  report.seconds = stopwatch.seconds();
  return report;
}

}  // namespace detent
