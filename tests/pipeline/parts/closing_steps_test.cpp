#include "pipeline/parts/closing_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model/temporary_folder.h"
#include "run/open_samples.h"
#include "run/sample_subset.h"

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
  ClosingError error_of(const Model& model, const std::vector<size_t>& samples) {
    const ClosingSteps closing(parse_samples(data_), *steps_, samples);
    const SampleSubset source(*steps_, closing.positions());
    return closing.error_of(closing.keep_reference(*float_, source, {}), model, {});
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
  ASSERT_EQ(error.report.by_sample.size(), 3U) << "samples, not steps";
  EXPECT_EQ(error.report.by_sample.front().name, "sample 1");
}

/// y = h + x + e where h is below 2, and exact from then on: the first two of eight steps are wrong.
TEST_F(StepsOfOnes, AreJudgedOverAllSteps) {
  open(2, 8);
  const Model early = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 13]>\n"
      "g (float[N, S] x, float[N, 1] h) => (float[N, 1] y)\n<float[1] two = {2}, float[1] e = {0.5}, float[1] o = {0}> "
      "{\n"
      "  s = Add (h, x)\n  low = Less (s, two)\n  k = Where (low, e, o)\n"
      "  f = Floor (s)\n  y = Add (f, k) }");
  const ClosingError error = error_of(early, {0, 1});
  // Outputs 1 to 8: y is 1.5 in step 1 and exact behind it, where only the last step would call it exact.
  ASSERT_TRUE(error.report.sqnr_db);
  EXPECT_NEAR(*error.report.sqnr_db, 10 * std::log10((1 + 4 + 9 + 16 + 25 + 36 + 49 + 64) / 0.25), 1e-6);
  ASSERT_EQ(error.report.steps.size(), 3U);
  EXPECT_EQ(error.report.steps.back().sqnr_db, std::numeric_limits<double>::infinity());
  ASSERT_TRUE(error.report.sqnr_db_interval) << "two samples have an interval";
  EXPECT_NEAR(error.report.sqnr_db_interval->first, *error.report.sqnr_db, 1e-6) << "both are alike";
}

TEST_F(StepsOfOnes, JudgeAStateByWhatItDoesToOutputs) {
  open(2, 8);
  const auto with_result = [](const std::string& error) {  // the result reads the sign of the state
    return parse_model_text(
        "<ir_version: 8, opset_import: [\"\" : 13]>\n"
        "g (float[N, S] x, float[N, 1] h) => (float[N, 1] z, float[N, 1] y)\n<float[1] e = {" +
        error + "}> {\n  s = Add (h, x)\n  y = Add (s, e)\n  z = Sign (y) }");
  };
  float_ = std::make_unique<Model>(with_result("0"));
  steps_ = open_samples(parse_samples(data_), *float_);
  const ClosingError error = error_of(with_result("0.5"), {0, 1});
  ASSERT_EQ(error.report.outputs.size(), 1U);
  EXPECT_EQ(error.report.outputs.front().name, "z");
  EXPECT_EQ(error.report.sqnr_db, std::numeric_limits<double>::infinity());
  EXPECT_FALSE(error.report.sqnr_db_interval) << "an exact output has none";
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
