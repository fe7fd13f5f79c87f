#include "evaluate/evaluate_on_batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "detent/base/error.h"
#include "evaluate/error_sums.h"
#include "model/graph_patch.h"
#include "model/model.h"
#include "run/memory_source.h"

namespace detent {
namespace {

using ::testing::ElementsAre;

constexpr size_t kSamples = 11;

/// y = x * factor, z = the elements of x * factor that are not 0: as many as the data say.
Model network(float factor) {
  Model model = parse_model_text(R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[N, 3] x) => (float[N, 3] y, float[M] z)
<float factor = {1}, float high = {2}>
{ y = Mul (x, factor)  large = Greater (y, high)  z = Compress (y, large_row)
  flat = Constant <value = int64[1] {-1}> ()  large_row = Reshape (large, flat) })");
  GraphPatch patch;
  patch.reason = "another constant";
  patch.replace_constants = {{"factor", Tensor::from<float>({}, {factor})}};
  apply_patch(model, patch);
  return model;
}

MemorySource samples() {
  std::vector<Tensor> all;
  for (size_t i = 0; i < kSamples; ++i) {
    const auto f = static_cast<float>(i);
    all.push_back(Tensor::from<float>({1, 3}, {f - 2.5F, 0.25F * f, -1.5F}));
  }
  return MemorySource(std::move(all));
}

void expect_equal(const ErrorSums& a, const ErrorSums& b) {
  EXPECT_EQ(a.signal, b.signal);
  EXPECT_EQ(a.noise, b.noise);
  EXPECT_EQ(a.dot, b.dot);
  EXPECT_EQ(a.agreeing, b.agreeing);
}

/// Evaluated where the float model has run, `together` samples to a batch, with weights of at most `bytes` at a time.
Evaluation on_batches(const std::vector<Model>& variants, const std::vector<std::string>& names, size_t together,
                      size_t threads = 2, size_t bytes = size_t{1} << 30) {
  const Model model = network(1);
  const MemorySource source = samples();
  const RunSettings settings{.threads = threads};
  const JudgedBatches batches(model, names, source, settings, nullptr, size_t{1} << 30, together);
  const auto make = [&](size_t v) { return variants[v].clone(); };
  return evaluate_on_batches(variants.size(), make, batches, settings, "testing", bytes);
}

std::vector<Model> two_variants() {
  std::vector<Model> variants;
  for (const float factor : {1.25F, 0.75F}) variants.push_back(network(factor));
  return variants;
}

/// What evaluate_models() says, one sample after the other.
Evaluation one_by_one(const std::vector<Model>& variants) {
  const Model model = network(1);
  const MemorySource source = samples();
  const RunSettings settings;
  const std::vector<std::string> names{"y"};
  EvaluationRequest request{model, names, source, settings, "testing"};
  request.by_batch = true;
  return evaluate_models(variants, request);
}

TEST(EvaluateOnBatches, SaysOfEverySampleWhatItSaysAlone) {
  const std::vector<Model> variants = two_variants();
  const Evaluation expected = one_by_one(variants);
  for (const size_t together : {1U, 4U, 8U})
    for (const size_t threads : {1U, 3U}) {
      const Evaluation found = on_batches(variants, {"y"}, together, threads);
      EXPECT_EQ(found.samples, kSamples);
      EXPECT_THAT(found.outputs, ElementsAre("y"));
      for (size_t v = 0; v < variants.size(); ++v) {
        ASSERT_EQ(found.by_batch[v].size(), kSamples) << together;
        for (size_t i = 0; i < kSamples; ++i) expect_equal(found.by_batch[v][i][0], expected.by_batch[v][i][0]);
        expect_equal(found.errors[v][0], expected.errors[v][0]);
      }
    }
}

TEST(EvaluateOnBatches, SaysTheSameInAsManyPassesAsMemoryAsksFor) {
  const std::vector<Model> variants = two_variants();
  const Evaluation expected = one_by_one(variants), found = on_batches(variants, {"y"}, 4, 2, 1);
  for (size_t v = 0; v < variants.size(); ++v) expect_equal(found.errors[v][0], expected.errors[v][0]);
}

TEST(EvaluateOnBatches, LeavesOutOutputsWhoseShapeDependsOnTheData) {
  for (const size_t together : {1U, 4U}) {
    const std::vector<std::string> both{"y", "z"};
    EXPECT_THAT(on_batches(two_variants(), both, together).outputs, ElementsAre("y")) << together;
  }
}

TEST(EvaluateOnBatches, NamesTheSampleThatCannotRun) {
  std::vector<Model> variants;
  variants.push_back(parse_model_text(R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[N, 3] x) => (float[N, 3] y) <float[4] w = {1, 2, 3, 4}> { y = Add (x, w) })"));
  try {
    static_cast<void>(on_batches(variants, {"y"}, 1));
    FAIL() << "3 and 4 elements were added";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("sample 'sample"));
  }
}

}  // namespace
}  // namespace detent
