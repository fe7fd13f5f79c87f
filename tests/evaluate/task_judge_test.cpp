// Tests the one order of scores.
#include "evaluate/task_judge.h"

#include <gtest/gtest.h>

#include <cmath>

namespace detent {
namespace {

TEST(RankOf, OrdersByTheMetricThenByTheSqnr) {
  EXPECT_LT(rank_of(metrics::kTop1, 0.7, 40), rank_of(metrics::kTop1, 0.8, 10));
  EXPECT_LT(rank_of(metrics::kTop1, 0.8, 10), rank_of(metrics::kTop1, 0.8, 11));
  EXPECT_GT(rank_of(metrics::kWer, 0.1, 10), rank_of(metrics::kWer, 0.2, 40)) << "smaller is better";
}

TEST(RankOf, NotANumberIsTheWorst) {
  EXPECT_LT(rank_of(metrics::kWer, NAN, 40), rank_of(metrics::kWer, 1e9, 0));
  EXPECT_LT(rank_of(metrics::kTop1, NAN, 40), rank_of(metrics::kTop1, -1e9, 0));
}

}  // namespace
}  // namespace detent
