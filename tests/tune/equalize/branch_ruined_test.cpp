#include "tune/equalize/branch_ruined.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibrate/choose_ranges.h"
#include "calibrate/range_overrides.h"
#include "evaluate/float_network.h"
#include "exec/find_shapes.h"
#include "exec/same_outputs.h"
#include "place/engines/target.h"
#include "place/make_plan.h"
#include "place/plan/placement_request.h"
#include "rewrite/format_options.h"
#include "run/memory_source.h"
#include "run/model_inputs.h"
#include "run/sample_counts.h"
#include "tune/equalize/equalizer.h"
#include "tune/equalize/judge_without_memory.h"

namespace detent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;

constexpr int64_t kWidth = 64;

/// A post-norm block: two layers and the residual read l, channel 5 of which is `outlier` times as large as the others
/// and weighs as many times less.
Model post_norm(float outlier, const std::string& end = "y = Add (l, c)") {
  Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[N, 8, 64] x) => (float[N, 8, 64] y)
<float[1] gamma = {0}, float[1] beta = {0}, float[1] w0 = {0}, float[1] w1 = {0}>
{
  l = LayerNormalization (x, gamma, beta)
  a = MatMul (l, w0)
  b = MatMul (l, w1)
  c = Add (a, b)
  )" + end + "\n}");
  test::Numbers numbers(5);
  GraphPatch patch;
  patch.reason = "weights of the test";
  Tensor gamma(DataType::Float32, Shape{kWidth});
  for (float& element : gamma.mutable_data<float>()) element = 1;
  gamma.mutable_data<float>()[5] = outlier;
  patch.replace_constants.emplace_back("gamma", std::move(gamma));
  patch.replace_constants.emplace_back("beta", numbers.tensor({kWidth}, 0.1F));
  for (const char* name : {"w0", "w1"}) {
    Tensor weight = numbers.tensor({kWidth, kWidth});
    for (size_t i = 0; i < kWidth; ++i) weight.mutable_data<float>()[5 * kWidth + i] /= outlier;
    patch.replace_constants.emplace_back(name, std::move(weight));
  }
  apply_patch(model, patch);
  return model;
}

/// The default equalization of a network for an engine, with samples and the options that it refers to.
class Trial {
 public:
  explicit Trial(Model tried, const std::string& target = "openvino", size_t samples = 24)
      : model(std::move(tried)), source_(rows(samples)), target_(find_target(target)) {}

  Model model;

  [[nodiscard]] bool may() const {
    const Graph& graph = model.graph();
    return may_branch(graph, make_placement_plan(graph, target_, placement_, find_shapes(graph, inputs_)), judged_,
                      inputs_);
  }

  std::optional<EqualizedModel> branch(const JudgeBeside& judge) {
    return branch_ruined(model, model.clone(), std::nullopt, {inputs_, source_, source_, settings_, no_samples()}, {},
                         judged_, judge);
  }

  /// Measures as quantize does.
  std::optional<EqualizedModel> branch_as_measured() {
    return branch([this](const MeasuredFacts& kept) {
      JudgeOptions beside = judged_;
      beside.kept = kept;
      return make_fold_judge(model, beside);
    });
  }

 private:
  static std::vector<Tensor> rows(size_t samples) {
    std::vector<Tensor> all;
    for (size_t i = 0; i < samples; ++i)
      all.push_back(test::Numbers(static_cast<uint32_t>(i) + 1).tensor({1, 8, kWidth}));
    return all;
  }

  MemorySource source_;
  const Target& target_;
  PlacementRequest placement_;
  RangeOverrides overrides_;
  RunSettings settings_;
  std::vector<Tensor> inputs_ = read_first_inputs(source_, settings_);
  JudgeOptions judged_{target_, placement_, rewrite_options({}, placement_, target_), overrides_, {"mse"}, settings_};
};

/// Scores of 20 dB where layers stay float, and `loss` less where none does.
JudgeBeside losing(double loss) {
  return [loss](const MeasuredFacts& kept) {
    const double db = kept.ruined.empty() ? 20 - loss : 20;
    return test::without_memory([db](std::span<const Model>, const DataSource&, const DataSource& held_out) {
      return FoldScores{{std::vector<double>(held_out.size(), db)}};
    });
  };
}

JudgeBeside nobody() {
  return [](const MeasuredFacts&) { return test::no_judge(); };
}

TEST(BranchRuined, LayersBesideTheResidualBecomeInt8) {
  Trial trial(post_norm(32));
  const Model before = trial.model.clone();
  const auto outcome = trial.branch(losing(0.2));
  ASSERT_TRUE(outcome && outcome->report.acceptance);
  EXPECT_TRUE(outcome->report.kept) << outcome->report.reason;
  EXPECT_THAT(outcome->equalization.values, ElementsAre(Key("l")));
  ASSERT_EQ(outcome->report.values.size(), 1U);
  EXPECT_EQ(outcome->report.values[0].family, "branch");
  EXPECT_GT(outcome->report.values[0].imbalance_before, 10);
  EXPECT_LT(outcome->report.values[0].imbalance_after, 3);
  ASSERT_EQ(outcome->report.notes.size(), 1U);
  EXPECT_THAT(outcome->report.notes[0],
              HasSubstr("2 layers in INT8 instead of float, by a Mul in front (mean SQNR 20.00 -> 19.80 dB on 12 other "
                        "samples): "));
  const std::vector<Tensor> unseen{test::Numbers(99).tensor({1, 8, kWidth})};
  EXPECT_NO_THROW(check_same_outputs(outputs_of(before, unseen), trial.model, unseen, "branch"));
}

TEST(BranchRuined, OutputsMayLoseHalfADecibel) {
  Trial trial(post_norm(32));
  const auto outcome = trial.branch(losing(0.49));
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->equalization.empty());
  EXPECT_NEAR(*outcome->report.families.back().gain_db, -0.49, 1e-6);
}

TEST(BranchRuined, StayFloatWhereOutputsLoseMore) {
  Trial trial(post_norm(32));
  const size_t nodes = trial.model.graph().nodes().size();
  const auto outcome = trial.branch(losing(1.01));
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->report.kept);
  EXPECT_THAT(outcome->report.reason, HasSubstr("2 layers would become INT8, but outputs lose 1.01 dB"));
  EXPECT_TRUE(outcome->equalization.empty());
  EXPECT_THAT(outcome->report.values, IsEmpty());
  EXPECT_EQ(trial.model.graph().nodes().size(), nodes);
}

TEST(BranchRuined, StayFloatWhereTheyAreTheOnlyLayers) {
  Trial trial(post_norm(32));
  const auto outcome = trial.branch_as_measured();  // no error at all before, and some 40 dB behind
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->report.kept);
}

TEST(BranchRuined, NothingIsJudgedWhereEightBitsKeepTheValue) { EXPECT_FALSE(Trial(post_norm(1)).branch(nobody())); }

TEST(BranchRuined, NothingIsMeasuredOnSevenSamples) {
  EXPECT_FALSE(Trial(post_norm(32), "openvino", kFewestToJudge - 1).branch(nobody()));
}

TEST(BranchRuined, OnlyForAnEngineWhoseNormalizationsRunTheMul) {
  EXPECT_TRUE(Trial(post_norm(32)).may());
  for (const char* other : {"onnxruntime", "tensorrt", "qnn"}) EXPECT_FALSE(Trial(post_norm(32), other).may()) << other;
}

TEST(BranchRuined, NotWhereLayersAloneReadTheNormalization) {
  EXPECT_FALSE(Trial(post_norm(32, "y = Add (x, c)")).may()) << "its scale takes the factors";
}

}  // namespace
}  // namespace detent
