#include "evaluate/judged_batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "detent/base/error.h"
#include "evaluate/error_sums.h"
#include "evaluate/float_network.h"
#include "exec/executor.h"
#include "exec/runnable_part.h"
#include "model/graph_patch.h"
#include "model/temporary_folder.h"
#include "run/memory_source.h"
#include "run/sample_subset.h"

namespace detent {
namespace {

constexpr size_t kJudgedSamples = 7;

bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.byte_count() == b.byte_count() && std::memcmp(a.raw(), b.raw(), a.byte_count()) == 0;
}

/// The residual network's samples, of which `bytes` are kept.
struct Judged {
  explicit Judged(size_t bytes, size_t batch = 1) {
    source.join(batch);
    batches.emplace(model, std::vector<std::string>{"y"}, source, RunSettings{.threads = 2}, nullptr, bytes);
  }
  Model model = test::residual_network(1);
  MemorySource source{test::residual_samples(kJudgedSamples)};
  std::optional<JudgedBatches> batches;
  BufferPool pool;
};

TEST(JudgedBatches, StandInTheOrderOfTheirHashes) {
  Judged judged(size_t{1} << 30);
  ASSERT_EQ(judged.batches->size(), kJudgedSamples);
  const std::vector<size_t> order = samples_by_hash(judged.source, kJudgedSamples);
  for (size_t b = 0; b < kJudgedSamples; ++b)
    EXPECT_EQ(judged.batches->get(b, judged.pool)->sample_names.front(), judged.source.sample_name(order[b]));
  const std::vector<size_t> three = judged.batches->in_source_order(3);
  EXPECT_TRUE(std::ranges::is_sorted(three, {}, [&](size_t b) { return order[b]; }));
  EXPECT_EQ(judged.batches->samples_in(3), 3U);
}

TEST(JudgedBatches, HoldWhatTheFloatModelSays) {
  Judged judged(size_t{1} << 30);
  const auto batch = judged.batches->get(2, judged.pool);
  const auto wanted = values_named(judged.model.graph(), {"y"});
  EXPECT_TRUE(same_bytes(batch->expected.front(), run_once(judged.model.graph(), batch->inputs, wanted).front()));
}

TEST(JudgedBatches, AreReadOnceWhereTheyFitAndGiveTheSameWhereTheyDoNot) {
  Judged kept(size_t{1} << 30), read_again(0);
  for (size_t b = 0; b < kJudgedSamples; ++b) {
    const auto a = kept.batches->get(b, kept.pool), c = read_again.batches->get(b, read_again.pool);
    EXPECT_EQ(a->sample_names.front(), c->sample_names.front());
    EXPECT_TRUE(same_bytes(a->inputs.front(), c->inputs.front()));
    EXPECT_TRUE(same_bytes(a->expected.front(), c->expected.front()));
  }
  int reads = 0, reads_again = 0;
  for (size_t i = 0; i < kJudgedSamples; ++i) {
    reads += kept.source.reads(i), reads_again += read_again.source.reads(i);
  }
  const int samples = kJudgedSamples;  // one more: its shapes tell what the outputs are
  EXPECT_EQ(reads, samples + 1);
  EXPECT_EQ(reads_again, 2 * samples + 1);
}

TEST(JudgedBatches, CountNoRepetitionOfAModelsOwnBatch) {
  Judged judged(0, 4);
  ASSERT_EQ(judged.batches->size(), 2U);
  EXPECT_EQ(judged.batches->samples_in(2), kJudgedSamples);
  std::vector<size_t> real;
  for (size_t b = 0; b < 2; ++b) {
    const auto batch = judged.batches->get(b, judged.pool);
    EXPECT_EQ(batch->size, 4U);
    EXPECT_EQ(batch->expected.front().shape()[0], static_cast<int64_t>(batch->real));
    real.push_back(batch->real);
  }
  std::ranges::sort(real);
  EXPECT_EQ(real, (std::vector<size_t>{3, 4}));
}

TEST(JudgedBatches, RefuseNoSamples) {
  const Model model = test::residual_network(1);
  const MemorySource none({});
  EXPECT_EQ(error_of<Error>([&] { const JudgedBatches judged(model, {"y"}, none, {}, nullptr); }).code(),
            ErrorCode::InvalidData);
}

using ::testing::ElementsAre;

constexpr size_t kSamples = 11;

/// y = x * factor, z = the non-zero elements of x * factor: their number depends on the data.
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

/// Evaluates on batches of `together` samples, with weights of at most `bytes` at a time.
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

/// Evaluates by evaluate_models(), one sample after the other.
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
