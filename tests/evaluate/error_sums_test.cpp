#include "evaluate/error_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "detent/base/error.h"

namespace detent {
namespace {

TEST(Sqnr, IsTheRatioOfPowersInDecibel) {
  EXPECT_DOUBLE_EQ(sqnr_db(100, 1), 20);
  EXPECT_DOUBLE_EQ(sqnr_db(1, 1), 0);
}

TEST(Sqnr, IsInfiniteWithoutNoiseAndZeroWithoutAnything) {
  EXPECT_EQ(sqnr_db(5, 0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(sqnr_db(0, 0), 0);
  EXPECT_EQ(sqnr_db(0, 1), -std::numeric_limits<double>::infinity());
}

ErrorReport report_of(const Tensor& reference, const Tensor& candidate) {
  const std::string name = "y";
  const ErrorSums sums = ErrorSums::of(reference, candidate);
  return summarize_errors(std::span(&name, 1), std::span(&sums, 1), 1);
}

TEST(ErrorSums, ComparesArgmaxAtEveryPosition) {
  // Two channels at three positions: the winner changes at the last position only.
  const Tensor a = Tensor::from<float>({1, 2, 3}, {1, 5, 1, 2, 0, 0});
  const Tensor b = Tensor::from<float>({1, 2, 3}, {1, 5, 1, 2, 0, 9});
  const ErrorReport report = report_of(a, b);
  EXPECT_DOUBLE_EQ(report.argmax_agreement.value(), 2.0 / 3.0);
  EXPECT_FALSE(report.sign_agreement.has_value());
  EXPECT_NEAR(report.sqnr_db.value(), 10 * std::log10(31.0 / 81.0), 1e-12);
}

TEST(ErrorSums, ComparesSignsOfOneChannel) {
  const ErrorReport report =
      report_of(Tensor::from<float>({1, 1, 4}, {1, -1, 2, -2}), Tensor::from<float>({1, 1, 4}, {3, -1, -2, -2}));
  EXPECT_DOUBLE_EQ(report.sign_agreement.value(), 0.75);
  EXPECT_FALSE(report.argmax_agreement.has_value());
}

TEST(ErrorSums, LeavePaddingOut) {
  // One sample of three positions with two features each; the last position is padding.
  const std::vector<uint8_t> counted = {1, 1, 1, 1, 0, 0};
  const Tensor a = Tensor::from<float>({1, 3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor b = Tensor::from<float>({1, 3, 2}, {1, 2, 3, 5, 5, 6});
  const Tensor garbage = Tensor::from<float>({1, 3, 2}, {1, 2, 3, 5, NAN, 1e30F});
  const ErrorSums clean = ErrorSums::of(a, b, counted), padded = ErrorSums::of(a, garbage, counted);
  EXPECT_EQ(padded.noise, 1);
  EXPECT_EQ(padded.signal, 1 + 4 + 9 + 16);
  EXPECT_EQ(padded.candidate, clean.candidate);
  EXPECT_EQ(padded.positions, 2) << "of each feature, the largest of two positions";
  EXPECT_EQ(padded.agreeing, 2);
  EXPECT_GT(ErrorSums::of(a, Tensor::from<float>({1, 3, 2}, {1, 1e30F, 3, 5, 5, 6}), counted).noise, 1e59)
      << "the same number at a position that counts";
}

TEST(ErrorSums, LeaveRowsOfPaddingOut) {
  // Samples and positions on one axis: rows of three classes.
  const Tensor a = Tensor::from<float>({2, 3}, {1, 5, 0, 1, 5, 0}), b = Tensor::from<float>({2, 3}, {1, 5, 0, 9, 5, 0});
  EXPECT_EQ(ErrorSums::of(a, b).agreeing, 1);
  const ErrorSums sums = ErrorSums::of(a, b, std::vector<uint8_t>{1, 1, 1, 0, 0, 0});
  EXPECT_EQ(sums.positions, 1);
  EXPECT_EQ(sums.agreeing, 1);
  EXPECT_EQ(sums.rows.undecided, 0);
}

TEST(ErrorSums, LeaveSignsAndIntegersOfPaddingOut) {
  const std::vector<uint8_t> counted = {1, 0, 1};
  const ErrorSums signs =
      ErrorSums::of(Tensor::from<float>({1, 1, 3}, {1, -1, 2}), Tensor::from<float>({1, 1, 3}, {1, 1, -2}), counted);
  EXPECT_EQ(signs.positions, 2);
  EXPECT_EQ(signs.agreeing, 1);
  const ErrorSums integers =
      ErrorSums::of(Tensor::from<int64_t>({3}, {1, 2, 3}), Tensor::from<int64_t>({3}, {1, 7, 4}), counted);
  EXPECT_EQ(integers.integers, 2);
  EXPECT_EQ(integers.differing, 1);
}

TEST(ErrorSums, CountsTheIntegersThatDiffer) {
  const ErrorReport report =
      report_of(Tensor::from<int64_t>({4}, {1, 2, 3, -4}), Tensor::from<int64_t>({4}, {1, 2, 3, 4}));
  ASSERT_EQ(report.outputs.size(), 1U);
  EXPECT_EQ(report.outputs[0].kind, OutputKind::Integers);
  EXPECT_EQ(report.outputs[0].elements, 4U);
  EXPECT_EQ(report.outputs[0].differing, 1U);
  EXPECT_DOUBLE_EQ(report.outputs[0].agreement.value(), 0.75);
  EXPECT_DOUBLE_EQ(report.integer_agreement.value(), 0.75);
  EXPECT_FALSE(report.sqnr_db.has_value()) << "integers have no SQNR, and none is not 0 dB";
  EXPECT_FALSE(report.cosine.has_value());
  EXPECT_EQ(report.worst, "");
  EXPECT_EQ(worst_sqnr_db(report), -144.5) << "nothing to judge by is no good model";
}

TEST(ErrorSums, CountsBooleansAsIntegers) {
  const Tensor yes = Tensor::from<bool>({2}, {true, false});
  EXPECT_EQ(report_of(yes, yes).integer_agreement, 1.0);
}

TEST(ErrorSums, HasNoSqnrOfAnOutputThatIs0InFp32) {
  const Tensor zeros = Tensor::from<float>({1, 2}, {0, 0});
  for (const Tensor& candidate : {zeros, Tensor::from<float>({1, 2}, {0, 1})}) {
    const ErrorReport report = report_of(zeros, candidate);
    ASSERT_EQ(report.outputs.size(), 1U);
    EXPECT_FALSE(report.outputs[0].sqnr_db.has_value());
    EXPECT_FALSE(report.sqnr_db.has_value());
  }
}

/// One row of scores, off by `offset` at both.
ErrorSums off_by(float offset) {
  return ErrorSums::of(Tensor::from<float>({1, 2}, {3, 4}), Tensor::from<float>({1, 2}, {3 + offset, 4 + offset}));
}

TEST(SummarizeErrors, JudgesByTheWorstOutputAndNotByAMean) {
  const std::vector<std::string> names{"exact", "good", "bad"};
  const std::vector<ErrorSums> sums{off_by(0), off_by(0.5F), off_by(1)};
  const ErrorReport report = summarize_errors(names, sums, 1);
  EXPECT_EQ(report.worst, "bad");
  EXPECT_DOUBLE_EQ(report.sqnr_db.value(), sqnr_db(25, 2));
  EXPECT_DOUBLE_EQ(worst_sqnr_db(report), sqnr_db(25, 2));
  EXPECT_EQ(report.cosine, report.outputs[2].cosine);
  EXPECT_TRUE(std::isinf(report.outputs[0].sqnr_db.value())) << "every output is told";
  EXPECT_DOUBLE_EQ(report.outputs[1].sqnr_db.value(), sqnr_db(25, 0.5));
}

TEST(SummarizeErrors, AreThoseOfASingleOutput) {
  const std::string name = "y";
  const ErrorSums sums = off_by(0.25F);
  const ErrorReport report = summarize_errors(std::span(&name, 1), std::span(&sums, 1), 1);
  EXPECT_EQ(report.sqnr_db, report.outputs[0].sqnr_db);
  EXPECT_EQ(report.worst, "y");
}

TEST(SummarizeErrors, AreExactOnlyWhereEveryOutputIs) {
  const std::vector<std::string> names{"a", "b"};
  EXPECT_EQ(worst_sqnr_db(summarize_errors(names, std::vector{off_by(0), off_by(0)}, 1)), 144.5);
  EXPECT_LT(worst_sqnr_db(summarize_errors(names, std::vector{off_by(0), off_by(0.125F)}, 1)), 60);
}

TEST(SummarizeErrors, TakeNotANumberForTheWorst) {
  const std::vector<std::string> names{"bad", "nan"};
  const ErrorReport report =
      summarize_errors(names, std::vector{off_by(9), off_by(std::numeric_limits<float>::quiet_NaN())}, 1);
  EXPECT_EQ(report.worst, "nan");
  EXPECT_EQ(worst_sqnr_db(report), -144.5);
}

TEST(ErrorSums, RefusesDifferentShapes) {
  EXPECT_THROW(static_cast<void>(ErrorSums::of(Tensor::from<float>({2}, {1, 2}), Tensor::from<float>({1}, {1}))),
               Error);
}

}  // namespace
}  // namespace detent
