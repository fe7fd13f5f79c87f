#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
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
};

/// Returns half the mean of the SQNRs in dB plus half the SQNR of their mean noise; the worst samples decide the
/// second. Empty -> 0.
[[nodiscard]] double score_db(std::span<const double> samples_db);

/// Returns score_db(), or infinity where no sample shows a difference (kExactDb).
[[nodiscard]] double told_score_db(std::span<const double> samples_db);

/// Returns the standard error of the mean difference on the same samples. Fewer than two samples -> 0.
[[nodiscard]] double difference_error_db(std::span<const double> better, std::span<const double> other);

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

/// Decides whether to keep a change, by the SQNR of the written models on the same samples (sample_scores). Keeps it
/// when score_db() does not fall, worst_tenth_db() falls by at most 0.5 dB, and the agreement with FP32, where given,
/// does not fall. The report names the first of these conditions that fails. No samples -> not kept.
[[nodiscard]] AcceptanceReport accept_change(std::span<const double> before, std::span<const double> after,
                                             std::optional<double> agreement_before = std::nullopt,
                                             std::optional<double> agreement_after = std::nullopt);

/// Measures the SQNR of the worst output with the nearest codes and with other codes, which are kept where it rises.
/// Errors  those of running; Interrupted.
[[nodiscard]] MeasuredChange judge_rounding(const Model& model, Model nearest, Model rounded, const DataSource& samples,
                                            const RunSettings& settings);

}  // namespace detent
