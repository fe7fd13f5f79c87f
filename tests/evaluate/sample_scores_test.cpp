#include "evaluate/sample_scores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "detent/options/run_settings.h"
#include "model/graph_patch.h"
#include "model/model.h"
#include "run/memory_source.h"

namespace detent {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// y = x + offset, z = x * factor, nothing = x * zero, infinite = x / zero, code = x as integer.
const char* const kOutputs = R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[N, 2] x) => (float[N, 2] y, float[N, 2] z, float[N, 2] nothing, float[N, 2] infinite, int32[N, 2] code)
<float offset = {0}, float factor = {1}, float zero = {0}, float none = {0}>
{ y = Add (x, offset)  z = Mul (x, factor)  nothing = Mul (x, zero)  infinite = Div (x, none)
  code = Cast <to = 6> (x) })";

struct Change {
  const char* constant;
  float value;
};

/// Scores of the model against itself with changed constants, a variant each.
class SampleScores : public ::testing::Test {
 protected:
  [[nodiscard]] Evaluation evaluate(const std::vector<Change>& changes, const std::vector<std::string>& names,
                                    const DataSource& source, bool by_batch = true,
                                    size_t weight_bytes = size_t{1} << 30) const {
    std::vector<Model> variants;
    for (const Change& change : changes) {
      GraphPatch patch;
      patch.reason = "another constant";
      patch.replace_constants = {{change.constant, Tensor::from<float>({}, {change.value})}};
      variants.push_back(model_.clone());
      apply_patch(variants.back(), patch);
    }
    RunSettings settings;
    settings.threads = 3;
    EvaluationRequest request{model_, names, source, settings, "testing"};
    request.weight_bytes = weight_bytes;
    request.by_batch = by_batch;
    return evaluate_models(variants, request);
  }
  /// Scores of one variant.
  [[nodiscard]] std::vector<double> scores(const Change& change, const std::vector<std::string>& names,
                                           const DataSource& source) const {
    return sample_scores(evaluate({change}, names, source)).at(0);
  }

  Model model_ = parse_model_text(kOutputs);
};

/// Samples (v, -v): signal 2 v^2 each.
MemorySource samples_of(const std::vector<float>& values) {
  std::vector<Tensor> samples;
  for (const float v : values) samples.push_back(Tensor::from<float>({1, 2}, {v, -v}));
  return MemorySource(std::move(samples));
}

double db(double ratio) { return 10 * std::log10(ratio); }
/// Few operations in double on numbers up to 60.
constexpr double kTolerance = 1e-12;

TEST_F(SampleScores, OfAnExactVariantAreThoseOfAnExactFloat) {
  EXPECT_THAT(scores({"factor", 1}, {"y", "z"}, samples_of({1, 2, 4})), Each(kExactDb));
}

TEST_F(SampleScores, TellVariantsApartBeyondSixtyDb) {
  // 2^-14 of the signal is 84 dB, 2^-12 is 72 dB.
  const auto fine = scores({"factor", 1 + 0x1p-14F}, {"z"}, samples_of({2, 2}));
  EXPECT_THAT(fine, Each(testing::DoubleNear(db(0x1p28), kTolerance)));
  EXPECT_THAT(scores({"factor", 1 + 0x1p-12F}, {"z"}, samples_of({2, 2})),
              Each(testing::DoubleNear(db(0x1p24), kTolerance)));
}

TEST_F(SampleScores, OfOneSampleDoNotOutweighTheOthers) {
  // Noise 2^-12 of the signal of the second sample, none in the first: 36 + 3 dB on average, so that 69 are the most.
  const auto found = scores({"factor", 1 + 0x1p-6F}, {"z"}, samples_of({0, 4}));
  EXPECT_NEAR(found[1], db(0x1p12), kTolerance);
  EXPECT_NEAR(found[0], ceiling_db((0x1p-12 + 0) / 2), 1e-9);
}

TEST(CeilingDb, IsSixtyOfUsualNoiseAndRisesWithBetterOnes) {
  EXPECT_EQ(ceiling_db(1), 60);
  EXPECT_EQ(ceiling_db(1e-3), 60);
  EXPECT_NEAR(ceiling_db(1e-5), 80, 1e-9);
  EXPECT_EQ(ceiling_db(1e-14), kExactDb);
  EXPECT_EQ(ceiling_db(0), kExactDb);
}

TEST_F(SampleScores, AreNeverBelowMinusSixtyDb) {
  EXPECT_THAT(scores({"factor", 1 + 0x1p14F}, {"z"}, samples_of({2, 2})), Each(-60));
  EXPECT_THAT(scores({"factor", std::numeric_limits<float>::quiet_NaN()}, {"z"}, samples_of({1, 2})), Each(-60));
  EXPECT_THAT(scores({"factor", std::numeric_limits<float>::infinity()}, {"z"}, samples_of({1, 2})), Each(-60));
}

TEST_F(SampleScores, HoldALoudSampleAgainstItsOwnSignalAndAQuietOneAgainstTheAverage) {
  // Signals 2 and 98, 50 on average; the offset's noise is 2/64 in both.
  const auto found = scores({"offset", 0.125F}, {"y"}, samples_of({1, 7}));
  EXPECT_THAT(found,
              ElementsAre(testing::DoubleNear(db(50 * 32), kTolerance), testing::DoubleNear(db(98 * 32), kTolerance)));
}

TEST_F(SampleScores, DoNotPunishASampleThatShowsNothing) {
  const auto found = scores({"offset", 0.125F}, {"y"}, samples_of({0, 4, 4, 4}));
  // Signal 24 on average, noise 1/32: far above the -60 dB of the sample's own signal, and below that of the others.
  EXPECT_NEAR(found[0], db(24 * 32), kTolerance);
  EXPECT_NEAR(found[1], db(32 * 32), kTolerance);
  EXPECT_THAT(scores({"factor", 1.5F}, {"z"}, samples_of({0, 4})),
              ElementsAre(60, testing::DoubleNear(db(4), kTolerance)))
      << "a sample without noise is exact";
}

TEST_F(SampleScores, AreThoseOfTheWorstOutput) {
  const auto found = scores({"factor", 1.25F}, {"y", "z"}, samples_of({2, 2}));
  EXPECT_THAT(found, Each(testing::DoubleNear(db(16), kTolerance))) << "y is exact, the noise of z a 16th";
  EXPECT_EQ(found, scores({"factor", 1.25F}, {"z"}, samples_of({2, 2})));
}

TEST_F(SampleScores, LeaveOutAnOutputThatIsZeroThroughout) {
  EXPECT_THAT(scores({"zero", 0.5F}, {"z", "nothing"}, samples_of({1, 2})), Each(kExactDb));
  const auto alone = scores({"factor", 1.25F}, {"z"}, samples_of({2, 2}));
  EXPECT_EQ(scores({"factor", 1.25F}, {"z", "nothing"}, samples_of({2, 2})), alone) << "not an exact output either";
}

TEST_F(SampleScores, LeaveOutAnOutputThatIsNotFiniteInFp32) {
  const auto alone = scores({"factor", 1.25F}, {"z"}, samples_of({2, 2}));
  EXPECT_EQ(scores({"factor", 1.25F}, {"infinite", "z"}, samples_of({2, 2})), alone);
  EXPECT_EQ(scores({"factor", 1.25F}, {"infinite", "z"}, samples_of({0, 2})).size(), 2U) << "NaN and infinite";
}

TEST_F(SampleScores, LeaveOutOutputsThatAreNotFloat) {
  const auto alone = scores({"factor", 1.25F}, {"z"}, samples_of({2, 2}));
  EXPECT_EQ(scores({"factor", 1.25F}, {"code", "z"}, samples_of({2, 2})), alone);
}

TEST_F(SampleScores, AreZeroWhereNoOutputIsLeft) {
  EXPECT_THAT(scores({"zero", 0.5F}, {"nothing", "code"}, samples_of({1, 2})), ElementsAre(0, 0));
}

TEST_F(SampleScores, ComeByVariantInTheOrderOfTheSamples) {
  const MemorySource source = samples_of({1, 2, 4, 8, 16});
  const auto found = sample_scores(evaluate({{"factor", 1.5F}, {"offset", 1}}, {"y", "z"}, source));
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_THAT(found[0], SizeIs(5));
  for (size_t i = 1; i < 5; ++i) EXPECT_GE(found[1][i], found[1][i - 1]) << "the offset costs loud samples least";
  EXPECT_GT(found[1][4], found[1][0]);
}

TEST_F(SampleScores, AreNoneUnlessTheBatchesWereAskedFor) {
  const Evaluation evaluation = evaluate({{"factor", 1.5F}}, {"z"}, samples_of({1, 2}), false);
  EXPECT_THAT(evaluation.by_batch, IsEmpty());
  EXPECT_THAT(evaluation.batch_names, IsEmpty());
  EXPECT_THAT(sample_scores(evaluation), IsEmpty());
}

TEST_F(SampleScores, OfBatchesComeFromSumsThatAddUpToTheTotals) {
  const Evaluation evaluation =
      evaluate({{"factor", 1.1F}, {"offset", 0.3F}}, {"y", "z"}, samples_of({1.7F, 2.3F, 0.1F, 9.9F, 4}));
  EXPECT_THAT(evaluation.batch_names, ElementsAre("sample0", "sample1", "sample2", "sample3", "sample4"));
  for (size_t v = 0; v < 2; ++v) {
    ASSERT_THAT(evaluation.by_batch[v], SizeIs(5));
    for (size_t output = 0; output < 2; ++output) {
      ErrorSums sum;
      for (const auto& batch : evaluation.by_batch[v]) sum += batch.at(output);
      const ErrorSums& total = evaluation.errors[v][output];
      EXPECT_EQ(sum.signal, total.signal);  // the same sums in the same order
      EXPECT_EQ(sum.noise, total.noise);
      EXPECT_EQ(sum.dot, total.dot);
      EXPECT_EQ(sum.positions, total.positions);
      EXPECT_EQ(sum.agreeing, total.agreeing);
    }
  }
}

TEST_F(SampleScores, AreTheSameWhenVariantsRunOneAtATime) {
  const std::vector<Change> changes{{"factor", 1.5F}, {"offset", 0.25F}, {"factor", 1.25F}};
  const Evaluation together = evaluate(changes, {"y", "z"}, samples_of({1, 2, 3}));
  const Evaluation apart = evaluate(changes, {"y", "z"}, samples_of({1, 2, 3}), true, 1);
  EXPECT_EQ(sample_scores(apart), sample_scores(together));
  EXPECT_EQ(apart.batch_names, together.batch_names);
}

TEST(SampleScoresOfFixedBatches, AreOneABatch) {
  const Model model = parse_model_text(R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[4, 2] x) => (float[4, 2] y) <float two = {2}> { y = Mul (x, two) })");
  const std::vector<std::string> names{"y"};
  MemorySource source = samples_of({1, 2, 3, 4, 5, 6});
  source.join(4);
  const RunSettings settings;
  EvaluationRequest request{model, names, source, settings, "testing"};
  request.by_batch = true;
  std::vector<Model> variants;
  variants.push_back(model.clone());
  const Evaluation evaluation = evaluate_models(variants, request);
  EXPECT_THAT(evaluation.batch_names, ElementsAre("sample0", "sample4")) << "of their first samples";
  EXPECT_THAT(sample_scores(evaluation), ElementsAre(ElementsAre(kExactDb, kExactDb)));
}

TEST(SampleScoresOfVaryingShapes, LeaveOutWhatDidNotFitInSomeSample) {
  const Model model = parse_model_text(R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[N, 2] x) => (float[M] kept, float[N, 2] y)
<float threshold = {0}, float one = {1}>
{ over = Greater (x, threshold)  kept = Compress (x, over)  y = Mul (x, one) })");
  GraphPatch patch;
  patch.reason = "another threshold";
  patch.replace_constants = {{"threshold", Tensor::from<float>({}, {1.5F})}};
  std::vector<Model> variants;
  variants.push_back(model.clone());
  apply_patch(variants[0], patch);
  const std::vector<std::string> names{"kept", "y"};
  const MemorySource source = samples_of({2, 1, 2});
  const RunSettings settings;
  EvaluationRequest request{model, names, source, settings, "testing"};
  request.by_batch = true;
  const Evaluation evaluation = evaluate_models(variants, request);
  EXPECT_THAT(evaluation.outputs, ElementsAre("y"));
  EXPECT_THAT(evaluation.by_batch[0], Each(SizeIs(1)));
  EXPECT_THAT(sample_scores(evaluation)[0], Each(kExactDb));
}

}  // namespace
}  // namespace detent
