#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "detent/reports/error_report.h"
#include "model/model.h"

namespace detent {

/// The measurements of one candidate.
struct CandidateScores {
  std::vector<double> samples_db;  ///< SQNR on each sample (sample_scores); the same samples for all candidates
  /// The largest distance of a value's error to that of the best candidate for it, in dB (worst_regrets_db).
  double regret_db = 0;
  std::vector<double> weights = {};  ///< of the samples, 1 together; empty: all alike
};

/// Returns half the mean of the SQNRs in dB plus half the SQNR of their mean noise; the worst samples decide the
/// second. Empty -> 0.
/// weights  of the samples, 1 together; empty: all alike
[[nodiscard]] double score_db(std::span<const double> samples_db, std::span<const double> weights = {});

/// Returns score_db(), or infinity where no sample shows a difference (kExactDb).
[[nodiscard]] double told_score_db(std::span<const double> samples_db, std::span<const double> weights = {});

/// Returns the standard error of the mean difference on the same samples. Fewer than two samples -> 0.
/// weights  as in score_db()
[[nodiscard]] double difference_error_db(std::span<const double> better, std::span<const double> other,
                                         std::span<const double> weights = {});

/// Returns the candidate to take. Candidates whose score lies within one standard error of the difference below the
/// highest are tied; among them the smallest regret wins, then the highest score, then the first. On 88 calibrations of
/// 15 networks (16, 64 and all samples, both targets), judged on other samples, this loses 0.27 dB to the best
/// candidate on average; the best single calibrator (mse) loses 1.1 dB. src/decisions/tune.md compares other bands. Not
/// empty.
[[nodiscard]] size_t choose_within_band(std::span<const CandidateScores> candidates);

/// Says why a change is not kept: "0.90 dB lower", "no higher" for a fall below 0.005 dB.
[[nodiscard]] std::string fall_text(double before_db, double after_db);

/// Returns the mean SQNR of the worst tenth of the samples, at least one. Empty -> 0.
[[nodiscard]] double worst_tenth_db(std::span<const double> samples_db);

/// Returns half the width of the 95 % interval of the mean difference on the same samples (Student's t). Fewer than two
/// samples -> infinite.
[[nodiscard]] double difference_interval_db(std::span<const double> better, std::span<const double> other);

/// Conditions on a change beside the SQNR of the samples.
struct Requirements {
  std::optional<double> agreement_before = {}, agreement_after = {};  ///< with FP32's classes; absent: no classes
  std::optional<double> gain_db = {};  ///< to gain above the standard error of the difference; absent: not to fall
  double fall_db = 0;                  ///< by which it may fall, for a change that is worth it for another reason
  double enough_db = HUGE_VAL;         ///< it may fall to this, too
};

/// Decides whether to keep a change, by the SQNR of the written models on the same samples (sample_scores): the one
/// rule by which a search never ends below its start. Keeps it when score_db() does not fall, worst_tenth_db() falls by
/// at most 0.5 dB (both by fall_db more, or to enough_db, where these are given), the agreement with FP32, where given,
/// does not fall, and the gain that is asked for is there. Fewer than kFewestToJudge samples count only where the gain
/// exceeds difference_interval_db(). The report names the first of these conditions that fails. No samples -> not kept.
[[nodiscard]] AcceptanceReport accept_change(std::span<const double> before, std::span<const double> after,
                                             const Requirements& required = {});

/// Models that are measured beside `reference`, as they would be written. The functions make them; each is freed before
/// the next is made. The members must outlive judge_change().
struct ChangeQuestion {
  const Model& reference;
  const std::function<Model()>& before;
  const std::function<Model()>& after;
  const DataSource& samples;
  const RunSettings& settings;
  std::string_view task;                     ///< of the progress
  std::optional<double> gain_db = {};        ///< as in Requirements
  double fall_db = 0, enough_db = HUGE_VAL;  ///< as in Requirements
};

/// Measures both models and decides by accept_change(), by SQNR and classes. No output can be compared -> not kept.
/// Errors  those of running; Interrupted.
[[nodiscard]] AcceptanceReport judge_change(const ChangeQuestion& question);

}  // namespace detent
