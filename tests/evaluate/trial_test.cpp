#include "evaluate/trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "evaluate/compared_values.h"
#include "model/graph_patch.h"
#include "run/memory_source.h"
#include "run/own_steps.h"
#include "run/summing_steps.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// y = x + offset, z = x * factor.
const char* const kTwoOutputs = R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[N, 3] x) => (float[N, 3] y, float[N, 3] z)
<float offset = {0}, float factor = {1}>
{ y = Add (x, offset)  z = Mul (x, factor) })";

Model with_constant(const Model& model, const std::string& name, float value) {
  Model changed = model.clone();
  GraphPatch patch;
  patch.reason = "another constant";
  patch.replace_constants = {{name, Tensor::from<float>({}, {value})}};
  apply_patch(changed, patch);
  return changed;
}

std::vector<Tensor> contest_samples(size_t count) {
  std::vector<Tensor> all;
  for (size_t i = 0; i < count; ++i) {
    const auto f = static_cast<float>(i);
    all.push_back(Tensor::from<float>({1, 3}, {f - 2.5F, 0.25F * f, -1.5F}));
  }
  return all;
}

Evaluation evaluate(const Model& model, const std::vector<Model>& variants, const std::vector<std::string>& names,
                    const DataSource& source, size_t threads = 2) {
  RunSettings settings;
  settings.threads = threads;
  return evaluate_models(variants, {model, names, source, settings, "testing"});
}

TEST(EvaluateVariants, GivesTheSqnrOfEveryVariantAndOutputAsANaiveLoopDoes) {
  const Model model = parse_model_text(kTwoOutputs);
  std::vector<Model> variants;
  variants.push_back(with_constant(model, "offset", 0.125F));
  variants.push_back(with_constant(model, "factor", 1.0625F));
  const std::vector<Tensor> data = contest_samples(7);
  const MemorySource source(data);
  const Evaluation evaluation = evaluate(model, variants, {"y", "z"}, source);

  double signal = 0;
  double noise_of_offset = 0;
  double noise_of_factor = 0;
  for (const Tensor& sample : data)
    for (const double x : sample.data<float>()) {
      signal += x * x;
      noise_of_offset += 0.125 * 0.125;
      noise_of_factor += 0.0625 * x * 0.0625 * x;
    }
  EXPECT_EQ(evaluation.samples, 7U);
  ASSERT_THAT(evaluation.outputs, ElementsAre("y", "z"));
  // Every number has few binary digits, so both loops are exact and only the logarithm rounds.
  EXPECT_DOUBLE_EQ(evaluation.report(0).outputs[0].sqnr_db.value(), 10 * std::log10(signal / noise_of_offset));
  EXPECT_DOUBLE_EQ(evaluation.report(1).outputs[1].sqnr_db.value(), 10 * std::log10(signal / noise_of_factor));
  EXPECT_TRUE(std::isinf(evaluation.report(0).outputs[1].sqnr_db.value()));  // unchanged by the variant
  EXPECT_TRUE(std::isinf(evaluation.report(1).outputs[0].sqnr_db.value()));
}

TEST(EvaluateVariants, ReadsEverySampleOnceForAllVariants) {
  const Model model = parse_model_text(kTwoOutputs);
  std::vector<Model> variants;
  for (int i = 0; i < 4; ++i) variants.push_back(model.clone());
  const MemorySource source(contest_samples(9));
  static_cast<void>(evaluate(model, variants, {"y"}, source));
  // The first sample's shapes tell what the outputs are.
  for (size_t i = 0; i < source.size(); ++i) EXPECT_EQ(source.reads(i), i == 0 ? 2 : 1);
}

TEST(EvaluateVariants, RunsOneVariantAtATimeWhenTheirWeightsAreTooLargeTogether) {
  const Model model = parse_model_text(kTwoOutputs);
  std::vector<Model> variants;
  for (const float offset : {0.5F, 0.25F, 0.125F}) variants.push_back(with_constant(model, "offset", offset));
  const MemorySource source(contest_samples(5));
  const std::vector<std::string> names{"y"};
  const RunSettings settings;
  const Evaluation evaluation =
      evaluate_models(variants, {model, names, source, settings, "testing", nullptr, nullptr, 1});
  EXPECT_EQ(evaluation.samples, 5U);
  for (size_t i = 0; i < source.size(); ++i) EXPECT_EQ(source.reads(i), i == 0 ? 4 : 3);  // and for shapes
  for (const auto& [variant, offset] : std::vector<std::pair<size_t, double>>{{0, 0.5}, {1, 0.25}, {2, 0.125}})
    EXPECT_EQ(evaluation.errors[variant][0].noise, 5 * 3 * offset * offset);
}

TEST(EvaluateVariants, GivesTheSameBitsForAnyNumberOfThreads) {
  const Model model = parse_model_text(kTwoOutputs);
  std::vector<Model> variants;
  variants.push_back(with_constant(model, "factor", 1.1F));
  std::vector<Tensor> data = contest_samples(40);
  for (Tensor& tensor : data)
    for (float& x : tensor.mutable_data<float>()) x *= 1.7320508F;
  const MemorySource source(std::move(data));
  const ErrorSums one = evaluate(model, variants, {"z"}, source, 1).errors[0][0];
  for (const size_t threads : {2, 5}) {
    const ErrorSums many = evaluate(model, variants, {"z"}, source, threads).errors[0][0];
    EXPECT_EQ(one.signal, many.signal);
    EXPECT_EQ(one.noise, many.noise);
    EXPECT_EQ(one.dot, many.dot);
  }
}

TEST(EvaluateVariants, DoesNotCountWhatFillsABatch) {
  const Model model = parse_model_text(R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[4, 3] x) => (float[4, 3] y) <float offset = {0}> { y = Add (x, offset) })");
  std::vector<Model> variants;
  variants.push_back(with_constant(model, "offset", 0.5F));
  MemorySource source(contest_samples(6));
  source.join(4);
  const Evaluation evaluation = evaluate(model, variants, {"y"}, source);
  EXPECT_EQ(evaluation.samples, 6U);
  EXPECT_EQ(evaluation.errors[0][0].noise, 6 * 3 * 0.25);
}

/// kept = the elements of x above a threshold; y = -x.
const char* const kSelection = R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[N, 3] x) => (float[M] kept, float[N, 3] y)
<float threshold = {0}>
{ over = Greater (x, threshold)  kept = Compress (x, over)  y = Neg (x) })";

TEST(EvaluateVariants, LeavesOutAnOutputWhoseShapeDiffersForSomeVariant) {
  const Model model = parse_model_text(kSelection);
  std::vector<Model> variants;
  variants.push_back(model.clone());
  variants.push_back(with_constant(model, "threshold", 0.6F));
  const Evaluation evaluation = evaluate(model, variants, {"kept", "y"}, MemorySource(contest_samples(4)));
  EXPECT_THAT(evaluation.outputs, ElementsAre("y"));
  EXPECT_EQ(evaluation.errors[0].size(), 1U);
}

TEST(EvaluateVariants, KeepsAnOutputOfVaryingShapeWhoseShapesAgree) {
  const Model model = parse_model_text(kSelection);
  std::vector<Model> variants;
  variants.push_back(model.clone());
  const Evaluation evaluation = evaluate(model, variants, {"kept", "y"}, MemorySource(contest_samples(4)));
  EXPECT_THAT(evaluation.outputs, ElementsAre("kept", "y"));
}

TEST(EvaluateVariants, NamesTheSampleThatCannotBeRun) {
  const Model model = parse_model_text(kTwoOutputs);
  std::vector<Tensor> data = contest_samples(3);
  data[1] = Tensor::from<float>({1, 2}, {1, 2});
  GraphPatch patch;
  patch.reason = "a constant that fits three elements only";
  patch.replace_constants = {{"offset", Tensor::from<float>({3}, {1, 2, 3})}};
  std::vector<Model> variants;
  variants.push_back(model.clone());
  apply_patch(variants[0], patch);
  try {
    static_cast<void>(evaluate(model, variants, {"y"}, MemorySource(std::move(data))));
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("sample1"), std::string::npos) << error.what();
  }
}

std::vector<std::string> compared(const char* text, const RunSettings& settings = {}) {
  const Tensor x = Tensor::from<float>({1, 3}, {1, -2, 3});
  return values_to_compare(parse_model_text(text), std::span(&x, 1), settings);
}

TEST(ValuesToCompare, AreTheFloatOutputs) {
  EXPECT_THAT(compared(R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[N, 3] x) => (int64[N, 1] best, float[N, 3] y) { y = Neg (x)  best = ArgMax <axis = 1> (y) })"),
              ElementsAre("y"));
}

constexpr const char* kThreeOutputs = R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[N, 3] x) => (float[N, 3] y, int64[N, 1] best, float[N, 3] z)
{ y = Neg (x)  a = Abs (x)  best = ArgMax <axis = 1> (a)  z = Sin (y) })";

TEST(ValuesToCompare, AreThoseOfTheJudgedOutputsAlone) {
  EXPECT_THAT(compared(kThreeOutputs), ElementsAre("y", "z"));
  EXPECT_THAT(compared(kThreeOutputs, {.judged_outputs = {"z"}}), ElementsAre("z"));
  EXPECT_THAT(compared(kThreeOutputs, {.judged_outputs = {"z", "y"}}), ElementsAre("y", "z")) << "in the model's order";
  EXPECT_THAT(compared(kThreeOutputs, {.judged_outputs = {"best"}}), ElementsAre("a")) << "the floats before ArgMax";
}

TEST(ValuesToCompare, RefuseAJudgedOutputThatTheModelLacksAndListItsOutputs) {
  try {
    static_cast<void>(compared(kThreeOutputs, {.judged_outputs = {"z", "a"}}));
    FAIL() << "'a' is a value, but no output";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidOption);
    EXPECT_STREQ(error.what(), "--judged-outputs: the model has no output 'a'; its outputs are 'y', 'best', 'z'");
  }
}

TEST(JudgedOutputs, AreNamedOnlyIfSomeDoNotCount) {
  const Model model = parse_model_text(kThreeOutputs);
  EXPECT_EQ(judged_outputs_text(model.graph(), {.judged_outputs = {"z"}}), "judged by 'z' alone, of 3 outputs");
  EXPECT_EQ(judged_outputs_text(model.graph(), {.judged_outputs = {"y", "best", "z"}}), "");
  EXPECT_EQ(judged_outputs_text(model.graph(), {}), "");
}

TEST(ValuesToCompare, GoBackToTheLastFloatsWhereNoOutputIsFloat) {
  EXPECT_THAT(compared(R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[N, 3] x) => (int32[N, 1] best) { y = Neg (x)  i = ArgMax <axis = 1> (y)  best = Cast <to = 6> (i) })"),
              ElementsAre("y"));
}

TEST(ValuesToCompare, AreNoneWhereNothingIsComputedFromFloats) {
  EXPECT_THAT(compared(R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[N, 3] x) => (int64[2] shape) { shape = Shape (x) })"),
              IsEmpty());
}

// Rows that the model passes on; the variant loses all of them.
TEST(EvaluateVariants, KeepsTheDetectionsOfEvenlyChosenSamples) {
  const Model model = parse_model_text(R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[1, 1, 6] x) => (float[1, 1, 6] y) <float factor = {1}> { y = Mul (x, factor) })");
  std::vector<Model> variants;
  variants.push_back(model.clone());
  variants.push_back(with_constant(model, "factor", 0));
  const MemorySource source(std::vector<Tensor>(5, Tensor::from<float>({1, 1, 6}, {0, 0, 8, 8, 0.75F, 3})));
  const std::vector<std::string> names{"y"};
  const auto shown = [&](size_t count) {
    const RunSettings settings{.threads = 2, .detections = "xyxy-score-class"};
    EvaluationRequest request{model, names, source, settings, "testing"};
    request.shown_samples = count;
    return evaluate_models(variants, request).shown;
  };
  const auto two = shown(2);
  ASSERT_EQ(two.size(), 2U);
  ASSERT_EQ(two[1].size(), 2U);
  EXPECT_EQ(two[1][0].name, "sample0");
  EXPECT_EQ(two[1][1].name, "sample2");
  EXPECT_EQ(two[0][0].found.size(), 1U);
  EXPECT_EQ(two[1][0].expected.size(), 1U);
  EXPECT_TRUE(two[1][0].found.empty());
  EXPECT_EQ(shown(9)[0].size(), 5U);
  EXPECT_TRUE(shown(0)[0].empty());
}

/// Two variants whose errors at each step are an eighth and a half.
class TrialOfSteps : public SummingSteps {
 protected:
  TrialOfSteps() {
    variants_.push_back(summing("0.125"));
    variants_.push_back(summing("0.5"));
  }

  [[nodiscard]] EvaluationRequest ask(const SampleRequest* request) const {
    EvaluationRequest wanted{float_, names_, *steps_, settings_, "testing"};
    wanted.by_batch = true, wanted.request = request;
    return wanted;
  }

  const std::vector<std::string> names_{"z"};
  const RunSettings settings_;
  const SampleRequest request_ = parse_samples(data_);
  const std::unique_ptr<DataSource> steps_ = open_samples(request_, float_);
  std::vector<Model> variants_;
};

/// Step k of z = 4 k has the error k / 2, so 1 / 64 of the power.
TEST_F(TrialOfSteps, EachModelReadsItsOwnStates) {
  const Evaluation own = evaluate_models(variants_, ask(&request_));
  EXPECT_NEAR(own.report(0).sqnr_db.value(), 20 * std::log10(8), 1e-6);
  EXPECT_NEAR(own.report(1).sqnr_db.value(), 20 * std::log10(2), 1e-6);
  const Evaluation single = evaluate_models(variants_, ask(nullptr));
  EXPECT_GT(single.report(0).sqnr_db.value(), 26) << "the float model's states hide what adds up";
}

TEST_F(TrialOfSteps, ASampleCountsWithAllItsSteps) {
  const Evaluation own = evaluate_models(variants_, ask(&request_));
  EXPECT_EQ(own.samples, 2U);
  EXPECT_THAT(own.by_batch, ElementsAre(SizeIs(2), SizeIs(2)));
  EXPECT_THAT(own.batch_names,
              ElementsAre(sample_of_step(steps_->sample_name(0)), sample_of_step(steps_->sample_name(4))));
  EXPECT_DOUBLE_EQ(own.by_batch[0][1][0].signal, 16 * (1 + 4 + 9 + 16));
  const Evaluation single = evaluate_models(variants_, ask(nullptr));
  EXPECT_EQ(single.samples, 8U);
  EXPECT_THAT(single.by_batch.front(), SizeIs(8));
}

TEST_F(TrialOfSteps, OneVariantAtATimeGivesTheSame) {
  EvaluationRequest narrow = ask(&request_);
  narrow.weight_bytes = 1;
  const Evaluation apart = evaluate_models(
      2, [&](size_t v) { return variants_[v].clone(); }, narrow);
  const Evaluation together = evaluate_models(variants_, ask(&request_));
  EXPECT_EQ(apart.samples, together.samples);
  for (size_t v = 0; v < variants_.size(); ++v) {
    EXPECT_EQ(apart.errors[v][0].noise, together.errors[v][0].noise);
    EXPECT_THAT(apart.by_batch[v], SizeIs(2));
  }
}

}  // namespace
}  // namespace detent
