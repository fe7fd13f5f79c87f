#include "tune/score_tally.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "evaluate/float_network.h"
#include "run/memory_source.h"

namespace detent {
namespace {

constexpr size_t kTallySamples = 40;

/// A tally of samples of which the first `right` are classified rightly and whose noise is 1 / 100 of the signal.
struct Tallied {
  explicit Tallied(size_t right) {
    tally.resize(kTallySamples);
    for (size_t b = 0; b < kTallySamples; ++b) {
      Tally batch{{ErrorSums{}}, {}};
      batch.errors.front().is_float = true;
      batch.errors.front().signal = 100 + static_cast<double>(b);
      batch.errors.front().noise = 1 + static_cast<double>(b) / 100;
      batch.task.labelled = 1;
      batch.task.first = b < right;
      tally[b] = std::move(batch);
    }
  }
  [[nodiscard]] TallyRules rules(const Metric& metric) const { return {batches, metric, {true}}; }

  Model model = test::residual_network(1);
  MemorySource source{test::residual_samples(kTallySamples)};
  JudgedBatches batches{model, {"y"}, source, {}, nullptr};
  ScoreTally tally;
};

TEST(ScoreTally, ScoresTheFirstBatches) {
  const Tallied tallied(10);
  EXPECT_DOUBLE_EQ(score_of(tallied.tally, kTallySamples, tallied.rules(metrics::kTop1)).score, 0.25);
  EXPECT_DOUBLE_EQ(score_of(tallied.tally, 20, tallied.rules(metrics::kTop1)).score, 0.5);
  EXPECT_NEAR(score_of(tallied.tally, kTallySamples, tallied.rules(metrics::kSqnr)).score, 20, 1e-9);
}

TEST(ScoreTally, LeavesOutputsThatDoNotCountOut) {
  const Tallied tallied(10);
  TallyRules rules = tallied.rules(metrics::kSqnr);
  rules.comparable = {false};
  EXPECT_LT(score_of(tallied.tally, kTallySamples, rules).score, 0);
}

/// The jackknife of a mean is its standard error: sqrt(p (1 - p) / (n - 1)) of a share p.
TEST(ScoreTally, JackknifeOfAShareIsItsStandardError) {
  const Tallied tallied(10);
  const auto own = scores_without_one(tallied.tally, kTallySamples, tallied.rules(metrics::kTop1));
  EXPECT_NEAR(jackknife_error(own, std::vector<double>(kTallySamples)), std::sqrt(0.25 * 0.75 / (kTallySamples - 1)),
              1e-12);
  EXPECT_EQ(jackknife_error(own, own), 0) << "two scores that move together";
  EXPECT_EQ(jackknife_error({1}, {2}), std::numeric_limits<double>::infinity());
}

TEST(ScoreTally, RatioThatIsTheSameInEverySampleIsSure) {
  const Tallied tallied(10);
  const auto own = scores_without_one(tallied.tally, kTallySamples, tallied.rules(metrics::kSqnr));
  EXPECT_NEAR(jackknife_error(own, std::vector<double>(kTallySamples)), 0, 1e-9);
}

}  // namespace
}  // namespace detent
