#include "tune/acceptance.h"

#include <gtest/gtest.h>

#include "tune/tie_band.h"

namespace detent {
namespace {

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

/// Ten samples: nine of one SQNR and the worst.
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
  EXPECT_TRUE(accept_change(nine_and(20, 18), nine_and(20, 18), 0.9, 0.9).kept);
}

TEST(AcceptChange, SaysWhyNot) {
  EXPECT_EQ(accept_change(nine_and(20, 20), nine_and(21, 21)).reason, "");
  EXPECT_EQ(accept_change(nine_and(20, 20), nine_and(19.5, 19.5)).reason, "SQNR 0.50 dB lower");
  EXPECT_EQ(accept_change(nine_and(20, 20), nine_and(21, 21), 0.975, 0.95).reason,
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
  EXPECT_FALSE(accept_change(nine_and(20, 18), nine_and(25, 24), 0.92, 0.91).kept);
  EXPECT_TRUE(accept_change(nine_and(20, 18), nine_and(25, 24), 0.91, 0.92).kept);
}

TEST(AcceptChange, AsksForAgreementOnlyWhereBothAreKnown) {
  EXPECT_TRUE(accept_change(nine_and(20, 18), nine_and(25, 24), 0.92, std::nullopt).kept);
  EXPECT_TRUE(accept_change(nine_and(20, 18), nine_and(25, 24), std::nullopt, 0.1).kept);
}

TEST(AcceptChange, DoesNotLetAgreementMakeUpForTheScore) {
  EXPECT_FALSE(accept_change(nine_and(20, 18), nine_and(19, 18), 0.5, 1.0).kept);
}

TEST(AcceptChange, AcceptsNothingWithoutSamples) {
  const AcceptanceReport report = accept_change({}, {}, 0.5, 0.9);
  EXPECT_FALSE(report.kept);
  EXPECT_EQ(report.samples, 0U);
}

}  // namespace
}  // namespace detent
