#include "pipeline/parts/closing_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model/temporary_folder.h"
#include "run/open_samples.h"

namespace detent {
namespace {

using ::testing::ElementsAre;

/// y = h + x + `error`, where y is the state h of the next step.
Model adder(const std::string& error) {
  return parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 13]>\n"
      "g (float[N, S] x, float[N, 1] h) => (float[N, 1] y)\n<float[1] e = {" +
      error + "}> {\n  s = Add (h, x)\n  y = Add (s, e) }");
}

/// Steps of `count` samples of ones.
class StepsOfOnes : public ::testing::Test {
 protected:
  void open(int64_t count, size_t steps) {
    Tensor ones(DataType::Float32, {count, 8});
    for (float& x : ones.mutable_data<float>()) x = 1;
    data_.arrays = {ones};
    data_.steps = steps;
    data_.state = folder_.write("state.json", R"({"feeds": {"y": "h"}, "cut": {"x": 1}})");
    float_ = std::make_unique<Model>(adder("0"));
    steps_ = open_samples(parse_samples(data_), *float_);
  }
  ClosingError error_of(const Model& model, std::vector<size_t> samples) {
    ClosingSteps closing(parse_samples(data_), *steps_, std::move(samples));
    closing.keep_reference(*float_, {});
    return closing.error_of(model, {});
  }

  TemporaryFolder folder_;
  DataOptions data_;
  std::unique_ptr<Model> float_;
  std::unique_ptr<DataSource> steps_;
};

/// The SQNR after k steps: the float model's output is k, the other one's k * 1.125. Exact in binary.
double db_after_each() { return 20 * std::log10(1 / 0.125); }

TEST_F(StepsOfOnes, AreJudgedWithTheModelsOwnStates) {
  open(3, 8);
  const ClosingError error = error_of(adder("0.125"), {0, 1, 2});
  ASSERT_TRUE(error.report.sqnr_db);
  EXPECT_NEAR(*error.report.sqnr_db, db_after_each(), 1e-9) << "with the float model's states it would be 18 dB more";
  EXPECT_EQ(error.report.samples, 3U);
}

TEST_F(StepsOfOnes, AreReportedAtTheFirstTheMiddleAndTheLast) {
  open(1, 8);
  const auto at = [&](const std::vector<ErrorReport::AtStep>& steps) {
    std::vector<size_t> numbers;
    for (const ErrorReport::AtStep& one : steps) numbers.push_back(one.step);
    return numbers;
  };
  const ClosingError error = error_of(adder("0.125"), {0});
  EXPECT_THAT(at(error.report.steps), ElementsAre(1, 4, 8));
  for (const ErrorReport::AtStep& one : error.report.steps) EXPECT_NEAR(*one.sqnr_db, db_after_each(), 1e-9);
  open(1, 3);
  EXPECT_THAT(at(error_of(adder("0.125"), {0}).report.steps), ElementsAre(1, 3));
  open(1, 1);
  EXPECT_THAT(at(error_of(adder("0.125"), {0}).report.steps), ElementsAre(1));
}

TEST_F(StepsOfOnes, OfTheSameModelAreExact) {
  open(2, 8);
  EXPECT_EQ(error_of(adder("0"), {1}).report.sqnr_db, std::numeric_limits<double>::infinity());
}

TEST_F(StepsOfOnes, AreChosenAsWholeSamples) {
  open(6, 8);
  const std::vector<size_t> four = stepped_samples_by_hash(*steps_, 8, 4);
  EXPECT_EQ(four.size(), 4U);
  EXPECT_THAT(four, ::testing::Each(::testing::Lt(6U)));
  EXPECT_THAT(stepped_samples_by_hash(*steps_, 8, 9, 4), ::testing::UnorderedElementsAre(4U, 5U));
  EXPECT_THAT(stepped_samples_by_hash(*steps_, 8, 9, 4, {"sample 5 step 3"}), ElementsAre(5U))
      << "a step is unwanted, and its sample with it";
}

}  // namespace
}  // namespace detent
