#include "tune/bound_judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "run/summing_steps.h"

namespace detent {
namespace {

using ::testing::ElementsAre;

/// Bounded on a model whose error is an eighth at each step.
class BoundedSteps : public SummingSteps {
 protected:
  BoundedSteps() {
    bound_.min_sqnr_db = 20;
    models_.push_back(summing("0.125"));
  }

  const SampleRequest request_ = parse_samples(data_);
  const std::unique_ptr<DataSource> steps_ = open_samples(request_, float_);
  AccuracyBound bound_;
  std::vector<Model> models_;
};

/// Step k has the error k / 8 at k, so the noise is 1 / 64 of the power: 18.06 dB. With the float model's states only
/// the last step's error would count: 1 / 8 at each, 26.8 dB.
TEST_F(BoundedSteps, AreBoundedByTheSameMeasureAsTheVerdict) {
  const BoundJudge judge(bound_, {}, float_, steps_.get(), {}, request_);
  const BoundJudge::Score score = judge.measure(models_, "").front();
  EXPECT_NEAR(score.sqnr_db, 20 * std::log10(8), 1e-6);
  EXPECT_FALSE(judge.meets(score));
  EXPECT_EQ(judge.scored(), 2U) << "samples, not steps";
  EXPECT_TRUE(judge.scores_whole_runs());
  const BoundJudge single(bound_, {}, float_, steps_.get(), {});
  EXPECT_TRUE(single.meets(single.measure(models_, "").front())) << "single steps hide what adds up";
  EXPECT_FALSE(single.scores_whole_runs());
}

/// A rise of half a point within a point: clips whose errors differ much do not show it, clips that hardly differ do.
TEST(BoundOnWords, CountsTheErrorOfItsClips) {
  EXPECT_NEAR(BoundJudge::margin_within(0.01, 0.004, 0.002), 0.0066, 1e-4);
  EXPECT_GT(0.005 + BoundJudge::margin_within(0.01, 0.004, 0.002), 0.01) << "not within the bound";
  EXPECT_LT(0.005 + BoundJudge::margin_within(0.01, 0.001, 0.001), 0.01) << "within it";
  EXPECT_EQ(BoundJudge::margin_within(0.01, 0.02, 0.02), 0)
      << "of so few words not even the float model's texts show it";
  EXPECT_EQ(BoundJudge::margin_within(0, 0.01, 0.01), 0);
}

TEST_F(BoundedSteps, AreTalliedBySample) {
  const BoundJudge judge(bound_, {}, float_, steps_.get(), {}, request_);
  const BoundJudge::SampleTallies tallies = judge.tally_samples(models_, "");
  EXPECT_THAT(tallies.outputs, ElementsAre("z"));
  ASSERT_EQ(tallies.variants.front().size(), 2U);
  EXPECT_EQ(tallies.floats.size(), 2U);
  EXPECT_DOUBLE_EQ(tallies.variants.front()[1].errors[0].signal, 16 * (1 + 4 + 9 + 16));
}

}  // namespace
}  // namespace detent
