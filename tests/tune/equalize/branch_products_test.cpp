#include "tune/equalize/branch_products.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibrate/choose_ranges.h"
#include "calibrate/range_overrides.h"
#include "evaluate/float_network.h"
#include "exec/find_shapes.h"
#include "exec/same_outputs.h"
#include "place/engines/target.h"
#include "place/make_plan.h"
#include "rewrite/format_options.h"
#include "run/memory_source.h"
#include "run/model_inputs.h"
#include "run/sample_counts.h"

namespace detent {
namespace {

using testing::HasSubstr;

constexpr int64_t kTokenWidth = 64;

/// A post-norm block with a GELU: channel 5 of the normalization and of the GELU is `outlier` times as large as the
/// others and weighs as many times less.
Model encoder_with_outliers(float outlier) {
  Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 20]>
g (float[N, 8, 64] x) => (float[N, 8, 64] y)
<float[1] gamma = {0}, float[1] beta = {0}, float[1] w0 = {0}, float[1] w1 = {0}>
{
  l = LayerNormalization (x, gamma, beta)
  a = MatMul (l, w0)
  h = Gelu (a)
  b = MatMul (h, w1)
  y = Add (l, b)
})");
  test::Numbers numbers(5);
  GraphPatch patch;
  patch.reason = "weights of the test";
  Tensor gamma(DataType::Float32, Shape{kTokenWidth});
  for (float& element : gamma.mutable_data<float>()) element = 1;
  gamma.mutable_data<float>()[5] = outlier;
  patch.replace_constants.emplace_back("gamma", std::move(gamma));
  patch.replace_constants.emplace_back("beta", numbers.tensor({kTokenWidth}, 0.1F));
  Tensor first = numbers.tensor({kTokenWidth, kTokenWidth}), second = numbers.tensor({kTokenWidth, kTokenWidth});
  for (size_t i = 0; i < kTokenWidth; ++i) {
    first.mutable_data<float>()[5 * kTokenWidth + i] /= outlier;
    first.mutable_data<float>()[i * kTokenWidth + 5] *= outlier;
    second.mutable_data<float>()[5 * kTokenWidth + i] /= outlier;
  }
  patch.replace_constants.emplace_back("w0", std::move(first));
  patch.replace_constants.emplace_back("w1", std::move(second));
  apply_patch(model, patch);
  return model;
}

class ProductTrial {
 public:
  explicit ProductTrial(Model tried, size_t samples = 24, bool at_run_time = true)
      : model(std::move(tried)), source_(rows(samples)) {
    judged_.ruined_at_run_time = at_run_time;
  }

  Model model;

  [[nodiscard]] bool may() const {
    const Graph& graph = model.graph();
    return may_branch_products(graph, make_placement_plan(graph, target_, placement_, find_shapes(graph, inputs_)),
                               judged_);
  }
  std::optional<EqualizedModel> branch() {
    return branch_products(model, model.clone(), std::nullopt, {inputs_, source_, source_, settings_, no_samples()}, {},
                           judged_);
  }

 private:
  static std::vector<Tensor> rows(size_t samples) {
    std::vector<Tensor> all;
    for (size_t i = 0; i < samples; ++i)
      all.push_back(test::Numbers(static_cast<uint32_t>(i) + 1).tensor({1, 8, kTokenWidth}));
    return all;
  }

  MemorySource source_;
  const Target& target_ = find_target("onnxruntime");
  PlacementRequest placement_;
  RangeOverrides overrides_;
  RunSettings settings_;
  std::vector<Tensor> inputs_ = read_first_inputs(source_, settings_);
  JudgeOptions judged_{target_, placement_, rewrite_options({}, placement_, target_), overrides_, {"mse"}, settings_};
};

TEST(BranchProducts, ChannelsOfANormalizationAndOfAGeluAreEvenedOut) {
  ProductTrial trial(encoder_with_outliers(32));
  const Model before = trial.model.clone();
  EXPECT_TRUE(trial.may());
  const auto outcome = trial.branch();
  ASSERT_TRUE(outcome && outcome->report.acceptance);
  EXPECT_TRUE(outcome->report.kept) << outcome->report.reason;
  EXPECT_TRUE(outcome->equalization.values.contains("l"));
  EXPECT_TRUE(outcome->equalization.values.contains("h"));
  ASSERT_EQ(outcome->report.notes.size(), 1U);
  EXPECT_THAT(outcome->report.notes[0], HasSubstr("a Mul evens channels out in front of products that read 2 values"));
  const std::vector<Tensor> unseen{test::Numbers(99).tensor({1, 8, kTokenWidth})};
  EXPECT_NO_THROW(check_same_outputs(outputs_of(before, unseen), trial.model, unseen, "branch"));
}

TEST(BranchProducts, NothingIsDoneWithoutOutliers) { EXPECT_FALSE(ProductTrial(encoder_with_outliers(1)).branch()); }

TEST(BranchProducts, NothingIsMeasuredOnSevenSamples) {
  EXPECT_FALSE(ProductTrial(encoder_with_outliers(32), kFewestToJudge - 1).branch());
}

TEST(BranchProducts, OnlyWhereRuinedProductsFindScalesAtRunTime) {
  EXPECT_FALSE(ProductTrial(encoder_with_outliers(32), 24, false).may());
}

}  // namespace
}  // namespace detent
