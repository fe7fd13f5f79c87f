#include "tune/acceptance.h"

#include <gtest/gtest.h>

#include <cmath>

namespace detent {
namespace {

using Scores = std::vector<double>;

TEST(ScoreDb, OfOneSampleIsItsSqnr) {
  // 10^(-x/10) and its logarithm round twice: some ulp of 27.5.
  EXPECT_NEAR(score_db(Scores{27.5}), 27.5, 1e-12);
  EXPECT_NEAR(score_db(Scores{-3}), -3, 1e-12);
}

TEST(ScoreDb, IsHalfTheMeanAndHalfTheSqnrOfTheMeanNoise) {
  const double noise = (0.1 + 0.001) / 2;  // of 10 dB and 30 dB
  EXPECT_NEAR(score_db(Scores{10, 30}), (20 - 10 * std::log10(noise)) / 2, 1e-12);
}

TEST(ScoreDb, SeesASampleThatIsLostWhereTheMeanDoesNot) {
  EXPECT_LT(score_db(Scores{5, 35}), score_db(Scores{20, 20}));
  EXPECT_NEAR(score_db(Scores{20, 20}), 20, 1e-12) << "samples alike: both halves are the same";
}

TEST(ScoreDb, CountsASampleByItsWeight) {
  const Scores twice{10, 10, 30}, once{10, 30};
  const std::vector<double> alike{.5, .5}, weights{2. / 3, 1. / 3};
  EXPECT_NEAR(score_db(once, weights), score_db(twice), 1e-12);
  EXPECT_EQ(score_db(once, alike), score_db(once));
  EXPECT_NEAR(difference_error_db(Scores{10, 12, 14}, Scores{9, 9, 11}, std::vector<double>(3, 1. / 3)),
              difference_error_db(Scores{10, 12, 14}, Scores{9, 9, 11}), 1e-12);
}

TEST(ScoreDb, OfNoSampleIsZero) { EXPECT_EQ(score_db({}), 0); }

TEST(DifferenceErrorDb, IsTheStandardErrorOfTheMeanDifference) {
  // Differences 1, 3, 3: variance 4/3 (n - 1), of the mean 4/9.
  EXPECT_NEAR(difference_error_db(Scores{10, 12, 14}, Scores{9, 9, 11}), 2.0 / 3, 1e-12);
  EXPECT_NEAR(difference_error_db(Scores{9, 9, 11}, Scores{10, 12, 14}), 2.0 / 3, 1e-12) << "in either direction";
}

TEST(DifferenceErrorDb, IsZeroWhereAllSamplesDifferAlike) {
  EXPECT_EQ(difference_error_db(Scores{10, 30, 20}, Scores{8, 28, 18}), 0);
}

TEST(DifferenceErrorDb, OfFewerThanTwoSamplesIsZero) {
  EXPECT_EQ(difference_error_db(Scores{10}, Scores{8}), 0);
  EXPECT_EQ(difference_error_db({}, {}), 0);
}

size_t chosen(const std::vector<CandidateScores>& candidates) { return choose_within_band(candidates); }

TEST(ChooseWithinBand, TakesAClearWinnerWhateverItsRegret) {
  EXPECT_EQ(chosen({{{20, 20}, 0}, {{30, 30}, 12}}), 1U);
  EXPECT_EQ(chosen({{{30, 30}, 12}, {{20, 20}, 0}}), 0U);
}

TEST(ChooseWithinBand, TakesTheSmallerRegretWhereSamplesCannotTell) {
  // Differences -3 and 4: the second lies 0.5 dB lower on average, with a standard error of 3.5.
  EXPECT_EQ(chosen({{{20, 24}, 3}, {{23, 20}, 1}}), 1U);
  EXPECT_EQ(chosen({{{20, 24}, 1}, {{23, 20}, 3}}), 0U);
}

TEST(ChooseWithinBand, LeavesWhatLiesOutsideTheBandHoweverSmallItsRegret) {
  // Differences 2 and 1: 1.5 dB lower on average, with a standard error of 0.5.
  EXPECT_EQ(chosen({{{20, 24}, 3}, {{18, 23}, 0}}), 0U);
}

TEST(ChooseWithinBand, EndsAtTheStandardError) {
  // Differences 0 and 2: a standard error of 1. The score falls by half of 1 and half of 0.67 dB of the mean noise.
  EXPECT_EQ(chosen({{{20, 24}, 3}, {{20, 22}, 0}}), 1U);
  // Differences 0.5 and 2: a standard error of 0.75. The score falls by half of 1.25 and half of 0.98 dB.
  EXPECT_EQ(chosen({{{20, 24}, 3}, {{19.5, 22}, 0}}), 0U);
}

TEST(ChooseWithinBand, HoldsEveryCandidateAgainstTheHighestScore) {
  // The third is 3 and 1.5 below the first, a standard error of 0.75; it would tie with the second.
  const std::vector<CandidateScores> candidates{{{20, 24}, 2}, {{23, 20}, 1}, {{17, 22.5}, 0}};
  ASSERT_GE(difference_error_db(candidates[1].samples_db, candidates[2].samples_db),
            score_db(candidates[1].samples_db) - score_db(candidates[2].samples_db));
  EXPECT_EQ(chosen(candidates), 1U);
}

TEST(ChooseWithinBand, GoesByTheScoreAmongEqualRegrets) {
  EXPECT_EQ(chosen({{{23, 20}, 1}, {{20, 24}, 1}}), 1U);
  EXPECT_EQ(chosen({{{20, 24}, 1}, {{23, 20}, 1}}), 0U);
}

TEST(ChooseWithinBand, TakesTheFirstOfEquals) {
  EXPECT_EQ(chosen({{{20, 24}, 1}, {{20, 24}, 1}, {{20, 24}, 1}}), 0U);
  // The same two numbers in another order: the same sums.
  EXPECT_EQ(chosen({{{24, 20}, 1}, {{20, 24}, 1}}), 0U);
}

TEST(ChooseWithinBand, HasNoBandWithOneSample) {
  EXPECT_EQ(chosen({{{20.25}, 9}, {{20}, 0}}), 0U);
  EXPECT_EQ(chosen({{{20}, 9}, {{20}, 0}}), 1U) << "equal scores need no band";
  EXPECT_EQ(chosen({{{20}, 9}}), 0U);
}

using Scores = std::vector<double>;

TEST(WorstTenthDb, IsTheMeanOfTheWorstTenthRoundedUp) {
  const Scores eleven{9, 3, 8, 1, 7, 6, 5, 10, 4, 11, 2};
  EXPECT_EQ(worst_tenth_db(eleven), 1.5) << "two of eleven";
  EXPECT_EQ(worst_tenth_db(std::span(eleven).first(10)), 1) << "one of ten";
}

TEST(WorstTenthDb, OfFewSamplesIsTheWorst) {
  EXPECT_EQ(worst_tenth_db(Scores{12, -4, 7}), -4);
  EXPECT_EQ(worst_tenth_db(Scores{12}), 12);
}

TEST(WorstTenthDb, OfNoSampleIsZero) { EXPECT_EQ(worst_tenth_db({}), 0); }

/// Ten samples: nine with the same SQNR and the worst one.
Scores nine_and(double others, double worst) {
  Scores samples(10, others);
  samples[4] = worst;
  return samples;
}

TEST(AcceptChange, AcceptsWhatIsBetterOnAllSamples) {
  const AcceptanceReport report = accept_change(nine_and(20, 18), nine_and(21, 19));
  EXPECT_TRUE(report.kept);
  EXPECT_EQ(report.samples, 10U);
  EXPECT_EQ(report.worst_before_db, 18);
  EXPECT_EQ(report.worst_after_db, 19);
  EXPECT_EQ(report.before_db, score_db(nine_and(20, 18)));
  EXPECT_EQ(report.after_db, score_db(nine_and(21, 19)));
}

TEST(AcceptChange, AcceptsWhatIsEqual) {
  EXPECT_TRUE(accept_change(nine_and(20, 18), nine_and(20, 18)).kept);
  EXPECT_TRUE(accept_change(nine_and(20, 18), nine_and(20, 18), {0.9, 0.9}).kept);
}

TEST(AcceptChange, SaysWhyNot) {
  EXPECT_EQ(accept_change(nine_and(20, 20), nine_and(21, 21)).reason, "");
  EXPECT_EQ(accept_change(nine_and(20, 20), nine_and(19.5, 19.5)).reason, "mean SQNR 0.50 dB lower");
  EXPECT_TRUE(accept_change(nine_and(20, 20), nine_and(19.5, 19.5), {.fall_db = 0.5}).kept) << "worth half a decibel";
  EXPECT_FALSE(accept_change(nine_and(20, 20), nine_and(19.5, 19.5), {.fall_db = 0.4}).kept);
  EXPECT_TRUE(accept_change(nine_and(40, 40), nine_and(30, 30), {.fall_db = 1, .enough_db = 30}).kept);
  EXPECT_FALSE(accept_change(nine_and(40, 40), nine_and(29, 29), {.fall_db = 1, .enough_db = 30}).kept);
  EXPECT_EQ(accept_change(nine_and(20, 20), nine_and(21, 21), {0.975, 0.95}).reason,
            "95.00 % of classes as in FP32 instead of 97.50 %");
  EXPECT_EQ(accept_change({}, {}).reason, "no sample to judge it by");
}

TEST(AcceptChange, RefusesAFallOfTheScore) {
  EXPECT_FALSE(accept_change(nine_and(20, 20), nine_and(19.9, 20)).kept);
  EXPECT_FALSE(accept_change(nine_and(30, 20), nine_and(20.5, 20.5)).kept) << "though the worst gains";
}

TEST(AcceptChange, RefusesABetterMeanThatTheWorstSamplesPayFor) {
  const Scores before = nine_and(20, 20);
  const AcceptanceReport report = accept_change(before, nine_and(30, 19.25));
  ASSERT_GT(report.after_db, report.before_db);
  EXPECT_FALSE(report.kept) << "0.75 dB";
  EXPECT_EQ(report.reason, "worst tenth of samples 0.75 dB lower");
  // 0.5 has few binary digits: 20 - 0.5 is exact.
  EXPECT_TRUE(accept_change(before, nine_and(30, 19.5)).kept) << "half a dB is not more than half a dB";
}

TEST(AcceptChange, RefusesAFallOfTheAgreement) {
  EXPECT_FALSE(accept_change(nine_and(20, 18), nine_and(25, 24), {0.92, 0.91}).kept);
  EXPECT_TRUE(accept_change(nine_and(20, 18), nine_and(25, 24), {0.91, 0.92}).kept);
}

TEST(AcceptChange, AsksForAgreementOnlyWhereBothAreKnown) {
  EXPECT_TRUE(accept_change(nine_and(20, 18), nine_and(25, 24), {0.92, std::nullopt}).kept);
  EXPECT_TRUE(accept_change(nine_and(20, 18), nine_and(25, 24), {std::nullopt, 0.1}).kept);
}

TEST(AcceptChange, DoesNotLetAgreementMakeUpForTheScore) {
  EXPECT_FALSE(accept_change(nine_and(20, 18), nine_and(19, 18), {0.5, 1.0}).kept);
}

TEST(AcceptChange, AcceptsNothingWithoutSamples) {
  const AcceptanceReport report = accept_change({}, {}, {0.5, 0.9});
  EXPECT_FALSE(report.kept);
  EXPECT_EQ(report.samples, 0U);
}

TEST(AcceptChange, AsksForAGainAboveItsStandardErrorWhereOneIsAskedFor) {
  const Scores before(10, 20.0);
  Scores after = before;
  for (size_t i = 0; i < after.size(); ++i) after[i] += i % 2 ? 1.0 : -0.8;  // 0.1 +- 0.3
  EXPECT_TRUE(accept_change(before, Scores(10, 20.1), {.gain_db = 0.0}).kept);
  EXPECT_FALSE(accept_change(before, after, {.gain_db = 0.0}).kept);
  EXPECT_FALSE(accept_change(before, before, {.gain_db = 0.0}).kept) << "nothing gained";
  EXPECT_EQ(accept_change(before, Scores(10, 20.05), {.gain_db = 0.1}).reason, "gains less than 0.1 dB");
}

TEST(AcceptChange, CountsFewSamplesOnlyBeyondTheirInterval) {
  // 1 dB with a standard error of 0.2 / sqrt(3): Student's 4.303 makes that 0.50.
  const Scores before{20, 20, 20}, sure{20.8, 21, 21.2};
  EXPECT_NEAR(difference_interval_db(sure, before), 4.303 * 0.2 / std::sqrt(3.0), 1e-9);
  EXPECT_TRUE(accept_change(before, sure).kept);
  const Scores likely{20.2, 20.6, 21.0};  // 0.6, whose interval is 0.99
  EXPECT_EQ(accept_change(before, likely).reason, "3 samples cannot tell its gain from chance");
  EXPECT_FALSE(accept_change(before, before).kept) << "no gain is none beyond the interval";
  EXPECT_EQ(accept_change(Scores{20}, Scores{25}).reason, "1 sample cannot tell its gain from chance");
}

TEST(DifferenceInterval, FollowsStudentsTable) {
  // Two-sided 95 % quantiles for 7, 10, 20 and 60 degrees of freedom; the last two to 0.003 by the expansion.
  for (const auto& [freedom, factor] : {std::pair{7, 2.365}, {10, 2.228}, {20, 2.086}, {60, 2.000}}) {
    const Scores other(static_cast<size_t>(freedom) + 1, 0.0);
    Scores better = other;
    better[0] = 1;
    EXPECT_NEAR(difference_interval_db(better, other) / difference_error_db(better, other), factor, 0.003) << freedom;
  }
}

}  // namespace
}  // namespace detent
