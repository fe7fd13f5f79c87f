#include "tune/bound_judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model/temporary_folder.h"
#include "run/open_samples.h"

namespace detent {
namespace {

using ::testing::ElementsAre;

/// y = h + x + `error` is the state h of the next step, and z = 4 y besides.
Model summing(const std::string& error) {
  return parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 13]>\n"
      "g (float[N, S] x, float[N, 1] h) => (float[N, 1] z, float[N, 1] y)\n<float[1] e = {" +
      error + "}, float[1] four = {4}> {\n  s = Add (h, x)\n  y = Add (s, e)\n  z = Mul (y, four) }");
}

/// Four steps of two samples of ones.
class BoundedSteps : public ::testing::Test {
 protected:
  BoundedSteps() {
    Tensor ones(DataType::Float32, {2, 4});
    for (float& x : ones.mutable_data<float>()) x = 1;
    data_.arrays = {ones};
    data_.steps = 4;
    data_.state = folder_.write("state.json", R"({"feeds": {"y": "h"}, "cut": {"x": 1}})");
  }

  TemporaryFolder folder_;
  DataOptions data_;
  Model float_ = summing("0");
};

/// Step k has the error k / 8 at k, so the noise is 1 / 64 of the power: 18.06 dB. With the float model's states only
/// the last step's error would count: 1 / 8 at each, 26.8 dB.
TEST_F(BoundedSteps, AreBoundedByTheSameMeasureAsTheVerdict) {
  const SampleRequest request = parse_samples(data_);
  const auto steps = open_samples(request, float_);
  AccuracyBound bound;
  bound.min_sqnr_db = 20;
  const BoundJudge judge(bound, {}, float_, steps.get(), {}, request);
  std::vector<Model> models;
  models.push_back(summing("0.125"));
  const BoundJudge::Score score = judge.measure(models, "").front();
  EXPECT_NEAR(score.sqnr_db, 20 * std::log10(8), 1e-6);
  EXPECT_FALSE(judge.meets(score));
  EXPECT_EQ(judge.scored(), 2U) << "samples, not steps";
  EXPECT_TRUE(judge.scores_whole_runs());
  const BoundJudge single(bound, {}, float_, steps.get(), {});
  EXPECT_TRUE(single.meets(single.measure(models, "").front())) << "single steps hide what adds up";
  EXPECT_FALSE(single.scores_whole_runs());
}

TEST_F(BoundedSteps, AreTalliedBySample) {
  const SampleRequest request = parse_samples(data_);
  const auto steps = open_samples(request, float_);
  AccuracyBound bound;
  bound.min_sqnr_db = 20;
  const BoundJudge judge(bound, {}, float_, steps.get(), {}, request);
  std::vector<Model> models;
  models.push_back(summing("0.125"));
  const BoundJudge::SampleTallies tallies = judge.tally_samples(models, "");
  EXPECT_THAT(tallies.outputs, ElementsAre("z"));
  ASSERT_EQ(tallies.variants.front().size(), 2U);
  EXPECT_EQ(tallies.floats.size(), 2U);
  EXPECT_DOUBLE_EQ(tallies.variants.front()[1].errors[0].signal, 16 * (1 + 4 + 9 + 16));
}

}  // namespace
}  // namespace detent
