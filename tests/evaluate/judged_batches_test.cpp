#include "evaluate/judged_batches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "detent/base/error.h"
#include "evaluate/float_network.h"
#include "exec/executor.h"
#include "exec/runnable_part.h"
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
    EXPECT_EQ(judged.batches->get(b, judged.pool)->name, judged.source.sample_name(order[b]));
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
    EXPECT_EQ(a->name, c->name);
    EXPECT_TRUE(same_bytes(a->inputs.front(), c->inputs.front()));
    EXPECT_TRUE(same_bytes(a->expected.front(), c->expected.front()));
  }
  for (size_t i = 0; i < kJudgedSamples; ++i) {
    EXPECT_EQ(kept.source.reads(i), 1);
    EXPECT_EQ(read_again.source.reads(i), 2);
  }
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

}  // namespace
}  // namespace detent
