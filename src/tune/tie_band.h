#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace detent {

/// What was measured of one candidate.
struct CandidateScores {
  std::vector<double> samples_db;  ///< SQNR on each sample (sample_scores); the same samples for all candidates
  /// How far its worst value lies below the best that any candidate does for that value, in dB (worst_regrets_db).
  double regret_db = 0;
};

/// One number for the samples: half the mean of their SQNRs in dB, half the SQNR of their mean noise. The second is
/// what the worst samples make it: a candidate that serves all but one well is no good candidate. Empty -> 0.
[[nodiscard]] double score_db(std::span<const double> samples_db);

/// score_db() as a report tells it: infinite where no sample shows a difference (kExactDb).
[[nodiscard]] double told_score_db(std::span<const double> samples_db);

/// By how much `better` lies above `other` on the same samples: standard error of the mean difference. Fewer than two
/// -> 0.
[[nodiscard]] double difference_error_db(std::span<const double> better, std::span<const double> other);

/// The candidate to take. Those whose score lies below the highest by no more than the standard error of the
/// difference cannot be told apart by these samples; of them the one with the smallest regret, then the highest score,
/// then the first. Judged on 88 calibrations of 15 networks (16, 64 and all samples, both targets) by their outputs on
/// other samples: 0.27 dB below the best candidate on average, the best single calibrator (mse) 1.1 dB.
/// src/decisions/tune.md has wider and narrower bands. candidates  not empty.
[[nodiscard]] size_t choose_within_band(std::span<const CandidateScores> candidates);

}  // namespace detent
