#include "observe/histogram_accumulator.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <bit>
#include <cfloat>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace detent {
namespace {

constexpr int64_t kWhateverTheCpuHas = 0;

/// All instruction sets of the CPU (with VBMI2, which has no separate code), one after the other, down to scalar code.
std::vector<int64_t> instruction_sets() {
  std::vector<int64_t> sets = hwy::SupportedAndGeneratedTargets();
  sets.insert(sets.begin(), kWhateverTheCpuHas);
  return sets;
}

class EveryInstructionSet : public testing::TestWithParam<int64_t> {
 protected:
  void SetUp() override { choose(GetParam()); }
  void TearDown() override { choose(kWhateverTheCpuHas); }

 private:
  static void choose(int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

INSTANTIATE_TEST_SUITE_P(, EveryInstructionSet, testing::ValuesIn(instruction_sets()), [](const auto& target) {
  return target.param == kWhateverTheCpuHas ? "All" : std::string(hwy::TargetName(target.param));
});

/// Returns the results of `count` calls of next(random).
std::vector<float> generate(size_t count, const std::function<float(std::mt19937&)>& next) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::vector<float> values(count);
  for (float& x : values) x = next(random);
  return values;
}

float normal(std::mt19937& random) { return std::normal_distribution<float>()(random); }
float relu(std::mt19937& random) { return std::max(normal(random), 0.0f); }
float heavy_tailed(std::mt19937& random) { return normal(random) * std::exp2(8 * normal(random)); }
float any_bits(std::mt19937& random) { return std::bit_cast<float>(static_cast<uint32_t>(random())); }
float tiny(std::mt19937& random) { return normal(random) * 0x1p-40f; }
float mostly_equal(std::mt19937& random) { return random() % 100 == 0 ? normal(random) : -0.37f; }
float rarely_infinite(std::mt19937& random) {
  return random() % 5000 == 0 ? -std::numeric_limits<float>::infinity() : normal(random);
}

TEST_P(EveryInstructionSet, AgreesWithPlainCounting) {
  const std::vector<std::function<float(std::mt19937&)>> kinds = {normal, relu,         heavy_tailed,   any_bits,
                                                                  tiny,   mostly_equal, rarely_infinite};
  HistogramAccumulator accumulator;  // one for all: nothing may leak from one histogram into the next
  for (size_t kind = 0; kind < kinds.size(); ++kind) {
    for (const size_t count : {0, 1, 2, 3, 15, 16, 17, 63, 100, 2047, 2048, 2049, 4096, 4097, 5000, 40001}) {
      const std::vector<float> values = generate(count, kinds[kind]);
      Histogram fast;
      accumulator.add(fast, values);
      Histogram plain;
      plain.add(values);
      EXPECT_EQ(fast, plain) << "kind " << kind << ", " << count << " elements";
    }
  }
}

TEST_P(EveryInstructionSet, AgreesOverManyTensorsOfOneValue) {
  HistogramAccumulator accumulator;
  Histogram fast, plain;
  for (size_t count = 1; count < 9000; count += 611) {
    std::vector<float> values = generate(count, heavy_tailed);
    for (float& x : values) x *= static_cast<float>(count);
    accumulator.add(fast, values);
    plain.add(values);
    ASSERT_EQ(fast, plain) << "up to " << count << " elements";
  }
}

TEST_P(EveryInstructionSet, CountsMoreThanItsTablesHold) {
  // 600000 equal elements are more than four 16-bit counts hold; the table must be emptied in time.
  const std::vector<float> values(600000, 1.5f);
  HistogramAccumulator accumulator;
  Histogram fast;
  accumulator.add(fast, values);
  EXPECT_EQ(fast.count(), values.size());
  EXPECT_EQ(fast.positive()[3072], values.size());
}

TEST_P(EveryInstructionSet, GrowsInTheMiddleOfATensor) {
  std::vector<float> values(20000, 1.0f);
  values[3000] = -77.0f;
  values[12345] = 1e20f;
  values.back() = -FLT_MAX;
  HistogramAccumulator accumulator;
  Histogram fast, plain;
  accumulator.add(fast, values);
  plain.add(values);
  EXPECT_EQ(fast, plain);
}

TEST_P(EveryInstructionSet, TakesUnalignedData) {
  const std::vector<float> values = generate(10003, normal);
  HistogramAccumulator accumulator;
  for (size_t skip = 0; skip < 5; ++skip) {
    Histogram fast, plain;
    accumulator.add(fast, std::span(values).subspan(skip));
    plain.add(std::span(values).subspan(skip));
    EXPECT_EQ(fast, plain) << skip;
  }
}

TEST_P(EveryInstructionSet, StoresMinusZeroAsPlusZero) {
  const std::vector<float> values(100, -0.0f);
  HistogramAccumulator accumulator;
  Histogram fast;
  accumulator.add(fast, values);
  EXPECT_EQ(fast.zeros(), 100u);
  EXPECT_FALSE(std::signbit(fast.min()));
  EXPECT_FALSE(std::signbit(fast.max()));
}

TEST_P(EveryInstructionSet, AddsPartsLikeOneTensor) {
  HistogramAccumulator accumulator;
  for (const auto kind : {normal, heavy_tailed, any_bits, rarely_infinite})
    for (const size_t part : {17, 300, 1152, 4608}) {
      const size_t parts = 9;
      const std::vector<float> values = generate(part * parts, kind);
      Histogram fast, plain;
      for (size_t i = 0; i < parts; ++i) {
        const auto own = std::span(values).subspan(i * part, part);
        const Extremes found = accumulator.add_part(fast, own, values.size()), expected = plain.add(own);
        EXPECT_EQ(found.min, expected.min);
        EXPECT_EQ(found.max, expected.max);
      }
      accumulator.flush(fast);
      EXPECT_EQ(fast, plain) << parts << " parts of " << part;
    }
}

TEST_P(EveryInstructionSet, CountsMoreSmallPartsThanItsTablesHold) {
  // A part of 17 equal elements adds 5 to one of the four counts of its bin: 14000 parts are more than 16 bits hold.
  const std::vector<float> part(17, 1.5f);
  constexpr size_t kParts = 40000;
  HistogramAccumulator accumulator;
  Histogram fast;
  for (size_t i = 0; i < kParts; ++i) accumulator.add_part(fast, part, kParts * part.size());
  accumulator.flush(fast);
  EXPECT_EQ(fast.positive()[3072], kParts * part.size());
}

TEST(HistogramAccumulator, LeavesPartsInItsTableUntilItIsFlushed) {
  const std::vector<float> part(512, 1.5f);
  HistogramAccumulator accumulator;
  Histogram histogram;
  for (int i = 0; i < 10; ++i) accumulator.add_part(histogram, part, 10 * part.size());
  EXPECT_EQ(histogram.count(), 5120U);
  const auto counted = [&] { return histogram.positive().empty() ? 0 : histogram.positive()[3072]; };
  EXPECT_LT(counted(), 5120U);
  accumulator.flush(histogram);
  EXPECT_EQ(counted(), 5120U);
}

}  // namespace
}  // namespace detent
