#include "evaluate/error_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "detent/error.h"

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
  EXPECT_NEAR(report.sqnr_db, 10 * std::log10(31.0 / 81.0), 1e-12);
}

TEST(ErrorSums, ComparesSignsOfOneChannel) {
  const ErrorReport report =
      report_of(Tensor::from<float>({1, 1, 4}, {1, -1, 2, -2}), Tensor::from<float>({1, 1, 4}, {3, -1, -2, -2}));
  EXPECT_DOUBLE_EQ(report.sign_agreement.value(), 0.75);
  EXPECT_FALSE(report.argmax_agreement.has_value());
}

TEST(ErrorSums, LeavesIntegerOutputsOut) {
  const Tensor indices = Tensor::from<int64_t>({2}, {1, 2});
  const ErrorReport report = report_of(indices, indices);
  EXPECT_TRUE(report.outputs.empty());
  EXPECT_EQ(report.sqnr_db, 0);
}

TEST(ErrorSums, RefusesDifferentShapes) {
  EXPECT_THROW(static_cast<void>(ErrorSums::of(Tensor::from<float>({2}, {1, 2}), Tensor::from<float>({1}, {1}))),
               Error);
}

}  // namespace
}  // namespace detent
