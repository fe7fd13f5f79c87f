// Tests the interval of a score, its parts, and the outcome of a bound.
#include "tune/score_interval.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/mean.h"
#include "detections/average_precision.h"
#include "evaluate/float_network.h"
#include "evaluate/trial.h"
#include "evaluate/variants_of.h"
#include "run/memory_source.h"
#include "tune/moved_scales.h"

namespace detent {
namespace {

constexpr size_t kTallySamples = 40;

/// A tally of samples of which the first `right` are classified correctly and whose noise is 1 / 100 of the signal.
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
  EXPECT_EQ(jackknife_error(std::vector<double>{1}, std::vector<double>{2}), std::numeric_limits<double>::infinity());
}

TEST(ScoreTally, RatioThatIsTheSameInEverySampleIsSure) {
  const Tallied tallied(10);
  const auto own = scores_without_one(tallied.tally, kTallySamples, tallied.rules(metrics::kSqnr));
  EXPECT_NEAR(jackknife_error(own, std::vector<double>(kTallySamples)), 0, 1e-9);
}

/// Without one of the 10 images of 40 that find their object the mAP is the share of the others.
TEST(ScoreTally, LeavesTheDetectionsOfOneBatchOut) {
  Tallied tallied(10);
  const std::vector<Detection> found{{{0, 0, 10, 10}, 0.5F, 0}};
  const std::vector<TrueObject> object{{{0, 0, 10, 10}, 0}};
  for (size_t b = 0; b < kTallySamples; ++b)
    tallied.tally[b].task.detections.labelled = match_objects(std::span(found).first(b < 10 ? 1 : 0), object);
  const auto scores = scores_without_one(tallied.tally, kTallySamples, tallied.rules(metrics::kMap));
  ASSERT_EQ(scores.size(), kTallySamples);
  // COCO's precision at the recalls 0, .01 ... 1 is 1 up to the share that is found: 9 of 39 (.23) and 10 of 39 (.256).
  EXPECT_NEAR(scores.front(), 24.0 / 101, 1e-12);
  EXPECT_NEAR(scores.back(), 26.0 / 101, 1e-12);
}

/// Table 26.10 of Abramowitz and Stegun.
TEST(IntervalErrors, AreStudentsQuantiles) {
  EXPECT_EQ(interval_errors(2), 12.706);
  EXPECT_EQ(interval_errors(10), 2.262);
  EXPECT_NEAR(interval_errors(11), 2.228, 0.003) << "the expansion leaves out 1 / n^3";
  EXPECT_NEAR(interval_errors(31), 2.042, 0.0006);
  EXPECT_NEAR(interval_errors(1000000), 1.95996, 1e-5);
}

/// A tally of a model and one of the same with moved scales.
struct PairedTallies {
  /// right, moved  numbers of samples that are right; the first ones
  PairedTallies(size_t right, size_t moved) : own(right), other(moved) {}

  [[nodiscard]] ScoreReport report(const Metric& metric) const {
    ScoreReport report{.metric = metric.name, .samples = kTallySamples};
    report.quantized = score_of(own.tally, kTallySamples, own.rules(metric)).score;
    add_interval(report, own.tally, other.tally, own.rules(metric));
    return report;
  }

  Tallied own, other;
};

TEST(ScoreInterval, IsTheJackknifeErrorTimesStudentsQuantile) {
  const PairedTallies same(10, 10);
  const ScoreReport report = same.report(metrics::kSqnr);
  ASSERT_TRUE(report.interval);
  EXPECT_NEAR(report.interval->first, 20, 1e-9) << "a ratio that is the same in every sample";
  EXPECT_NEAR(report.interval->second, 20, 1e-9);
  EXPECT_EQ(report.rounding_error, 0);

  PairedTallies varied(10, 10);
  for (size_t b = 0; b < kTallySamples; b += 2) varied.own.tally[b].errors.front().noise *= 2;
  const auto own = scores_without_one(varied.own.tally, kTallySamples, varied.own.rules(metrics::kSqnr));
  const auto other = scores_without_one(varied.other.tally, kTallySamples, varied.own.rules(metrics::kSqnr));
  const double sampling = jackknife_error(own, std::vector<double>(kTallySamples));
  const double rounding = jackknife_error(own, other);
  ASSERT_GT(rounding, 0.01);
  const ScoreReport wide = varied.report(metrics::kSqnr);
  EXPECT_NEAR(wide.rounding_error.value(), rounding, 1e-12);
  EXPECT_NEAR(wide.interval->second - wide.quantized, interval_errors(kTallySamples) * std::hypot(sampling, rounding),
              1e-9);
}

TEST(ScoreInterval, NeedsTwoBatches) {
  const Tallied one(1);
  ScoreReport report;
  add_interval(report, {one.tally.front()}, {one.tally.front()}, one.rules(metrics::kSqnr));
  EXPECT_FALSE(report.interval);
}

/// A bound of 30 dB on the residual network.
class Conclusion : public ::testing::Test {
 protected:
  [[nodiscard]] BoundReport concluded(double sqnr_db, std::pair<double, double> interval) const {
    BoundReport report;
    report.met = sqnr_db >= 30;
    report.score = {.metric = metrics::kSqnr.name, .quantized = sqnr_db, .interval = interval, .samples = 100};
    conclude(report, judge_);
    return report;
  }

  Model model_ = test::residual_network(1);
  MemorySource source_{test::residual_samples(2)};
  AccuracyBound bound_ = [] {
    AccuracyBound bound;
    bound.min_sqnr_db = 30;
    return bound;
  }();
  RunSettings settings_;
  BoundJudge judge_{bound_, {}, model_, &source_, settings_};
};

TEST_F(Conclusion, HoldsWhereTheWholeIntervalIsWithin) {
  EXPECT_EQ(concluded(31, {30, 32}).outcome, BoundOutcome::Holds);
  EXPECT_FALSE(concluded(31, {30, 32}).samples_needed);
}

/// Half the interval is twice the distance to the bound: four times the samples halve it.
TEST_F(Conclusion, NamesTheSamplesThatAreNeeded) {
  const BoundReport report = concluded(31, {29, 33});
  EXPECT_EQ(report.outcome, BoundOutcome::NotShown);
  EXPECT_EQ(report.samples_needed, 400U);
  EXPECT_EQ(concluded(30.3, {29.3, 31.3}).samples_needed, 1200U) << "1111 in two digits, upwards";
}

TEST_F(Conclusion, NamesNoNumberAtTheBoundItself) {
  const BoundReport report = concluded(30, {29, 31});
  EXPECT_EQ(report.outcome, BoundOutcome::NotShown);
  EXPECT_FALSE(report.samples_needed);
}

TEST_F(Conclusion, IsBrokenWhateverTheIntervalReaches) {
  EXPECT_EQ(concluded(29.9, {28, 32}).outcome, BoundOutcome::Broken);
}

TEST_F(Conclusion, ShowsNothingWithoutAnInterval) {
  BoundReport report;
  report.met = true;
  conclude(report, judge_);
  EXPECT_EQ(report.outcome, BoundOutcome::NotShown);
}

TEST(MoveScales, MovesEveryScaleByItsLastBitsAndNothingElse) {
  const Model model = test::residual_network(1);
  const MemorySource source(test::residual_samples(4));
  test::VariantsOf network(model, source, "tensorrt");
  Model quantized = network.variants.model(network.plan);
  const GraphPatch patch = move_scales(quantized.graph());
  ASSERT_GT(patch.replace_constants.size(), 5U);
  for (const auto& [name, moved] : patch.replace_constants) {
    const Tensor& scale = *quantized.graph().constant(quantized.graph().find_value(name));
    ASSERT_EQ(moved.shape().to_string(), scale.shape().to_string());
    for (size_t i = 0; i < moved.data<float>().size(); ++i) {
      const double before = scale.data<float>()[i], after = moved.data<float>()[i];
      EXPECT_NE(after, before) << name;
      // 2^-22 and half a unit in the last place, which is at most 2^-24 of the number
      EXPECT_LE(std::abs(after - before), before * (0x1p-22 + 0x1p-23)) << name;
    }
  }
  const ScoreTally before = [&] {
    std::vector<bool> comparable{true};
    return tally_of_model(quantized, JudgedBatches(model, {"y"}, source, {}, nullptr), {}, "before", comparable);
  }();
  apply_patch(quantized, patch);
  std::vector<bool> comparable{true};
  const JudgedBatches batches(model, {"y"}, source, {}, nullptr);
  const ScoreTally after = tally_of_model(quantized, batches, {}, "after", comparable);
  const TallyRules rules{batches, metrics::kSqnr, {true}};
  EXPECT_NEAR(score_of(before, batches.size(), rules).score, score_of(after, batches.size(), rules).score, 0.5);
}

TEST(MoveScales, ChangesNothingInAFloatModel) { EXPECT_TRUE(move_scales(test::residual_network(1).graph()).empty()); }

}  // namespace
}  // namespace detent
