#include "core/bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/mean.h"

namespace detent {
namespace {

TEST(StandardError, IsThatOfTheMean) {
  EXPECT_DOUBLE_EQ(standard_error(std::vector<double>{1, 3}), 1) << "variance 2, of two";
  EXPECT_EQ(standard_error(std::vector<double>{5, 5, 5}), 0);
  EXPECT_EQ(standard_error(std::vector<double>{7}), 0);
}

TEST(Spread, IsTheStandardDeviation) {
  EXPECT_DOUBLE_EQ(spread(std::vector<double>{1, 3}), std::sqrt(2));
  EXPECT_EQ(spread({}), 0);
}

TEST(Bootstrap, DrawsAsManySamplesAsThereAre) {
  Bootstrap bootstrap(24, 1);
  EXPECT_EQ(bootstrap.draws(), 1000U);
  for (size_t d = 0; d < bootstrap.draws(); ++d) {
    const auto counts = bootstrap.next();
    ASSERT_EQ(std::accumulate(counts.begin(), counts.end(), 0U), 24U);
  }
}

TEST(Bootstrap, DrawsTheSameAgain) {
  Bootstrap one(10, 1), other(10, 1);
  for (size_t d = 0; d < 5; ++d) {
    const auto a = one.next(), b = other.next();
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin())) << d;
  }
}

TEST(Bootstrap, DrawsFewerWhereOneCostsMuch) {
  EXPECT_EQ(Bootstrap(10, 4e5).draws(), 500U);
  EXPECT_EQ(Bootstrap(10, 1e9).draws(), 200U);
}

TEST(Bootstrap, EstimatesTheErrorOfAMean) {
  std::vector<double> values(50);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i * 17 % 50);
  Bootstrap bootstrap(values.size(), 1);
  std::vector<double> means;
  for (size_t d = 0; d < bootstrap.draws(); ++d) {
    const auto counts = bootstrap.next();
    double sum = 0;
    for (size_t i = 0; i < values.size(); ++i) sum += counts[i] * values[i];
    means.push_back(sum / static_cast<double>(values.size()));
  }
  // Tolerance: the bootstrap's variance has n for n - 1 (1 %), and 1000 draws know a deviation to 1 / sqrt(2000), 2.2
  // %. Three times that.
  const double expected = standard_error(values);
  EXPECT_NEAR(spread(means), expected, 0.08 * expected);
}

}  // namespace
}  // namespace detent
