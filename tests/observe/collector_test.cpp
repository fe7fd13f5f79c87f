#include "observe/collector.h"

#include <gtest/gtest.h>

#include <cmath>

#include <limits>
#include <vector>

namespace detent {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

Histogram histogram_of(std::vector<float> values) {
  Histogram histogram;
  histogram.add(values);
  return histogram;
}

constexpr ValueId kX{5}, kY{2};

class CollectorTest : public testing::Test {
 protected:
  Graph graph_;
  std::vector<ValueId> watched_ = {kX, kY};
  Collector collector_{graph_, watched_};
};

TEST_F(CollectorTest, OwnsOneHistogramPerWatchedValue) {
  collector_.observe(kX, Tensor::from<float>({2}, {1, 2}));
  collector_.observe(kY, Tensor::from<float>({1, 1}, {-3}));
  collector_.observe(kX, Tensor::from<float>({1}, {4}));
  EXPECT_EQ(collector_.histogram(kX), histogram_of({1, 2, 4}));
  EXPECT_EQ(collector_.histogram(kY), histogram_of({-3}));
}

TEST_F(CollectorTest, IgnoresValuesNobodyWatches) {
  collector_.observe(ValueId{3}, Tensor::from<float>({1}, {1}));
  collector_.observe(ValueId{700}, Tensor::from<float>({1}, {1}));
  EXPECT_TRUE(collector_.histogram(kX).empty());
  EXPECT_THROW((void)collector_.histogram(ValueId{3}), Error);
  EXPECT_THROW((void)collector_.histogram(ValueId{700}), Error);
}

TEST_F(CollectorTest, CollectsEveryFloatType) {
  const Tensor floats = Tensor::from<float>({3}, {1.5f, -2, 0});  // exact in each of them
  for (const DataType type : {DataType::Float16, DataType::BFloat16, DataType::Float64, DataType::Float32})
    collector_.observe(kX, cast(floats, type));
  EXPECT_EQ(collector_.histogram(kX), histogram_of({1.5f, -2, 0, 1.5f, -2, 0, 1.5f, -2, 0, 1.5f, -2, 0}));
}

TEST_F(CollectorTest, IgnoresIntegersAndBooleans) {
  collector_.observe(kX, Tensor::from<int64_t>({2}, {1, 2}));
  collector_.observe(kX, Tensor::from<bool>({1}, {true}));
  EXPECT_TRUE(collector_.histogram(kX).empty());
}

TEST_F(CollectorTest, TakesTensorsWithoutElements) {
  collector_.observe(kX, Tensor(DataType::Float32, {0, 3}));
  EXPECT_TRUE(collector_.histogram(kX).empty());
}

TEST_F(CollectorTest, DoesNotCareAboutLayout) {
  const Tensor plain = Tensor::from<float>({1, 2, 2}, {1, 2, 3, 4});
  collector_.observe(kX, to_channels_last(plain));
  EXPECT_EQ(collector_.histogram(kX), histogram_of({1, 2, 3, 4}));
}

TEST_F(CollectorTest, MergesToWhatOneCollectorWouldHaveSeen) {
  Collector other(graph_, watched_);
  collector_.observe(kX, Tensor::from<float>({2}, {1, 2000}));
  other.observe(kX, Tensor::from<float>({2}, {-3, 0.25f}));
  other.observe(kY, Tensor::from<float>({1}, {7}));
  collector_.merge(other);
  EXPECT_EQ(collector_.histogram(kX), histogram_of({1, 2000, -3, 0.25f}));
  EXPECT_EQ(collector_.histogram(kY), histogram_of({7}));
}

TEST_F(CollectorTest, RefusesToMergeOtherValues) {
  const std::vector<ValueId> others = {kX, ValueId{3}};
  EXPECT_THROW(collector_.merge(Collector(graph_, others)), Error);
}

TEST_F(CollectorTest, RemembersTheFirstSampleWithNaNOrInf) {
  Collector other(graph_, watched_);
  for (const size_t sample : {9, 12}) {
    collector_.begin_sample(sample);
    collector_.observe(kX, Tensor::from<float>({1}, {kInf}));
  }
  other.begin_sample(4);
  other.observe(kX, Tensor::from<float>({1}, {std::numeric_limits<float>::quiet_NaN()}));
  collector_.merge(other);
  const std::vector<Collector::NonFinite> found = collector_.non_finite();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].value, kX);
  EXPECT_EQ(found[0].sample, 4u) << "the smallest index, whichever worker had it";
}

TEST_F(CollectorTest, KeepsTheExtremesOfEverySample) {
  Collector other(graph_, watched_);
  collector_.begin_sample(7);
  collector_.observe(kX, Tensor::from<float>({3}, {1, -2, kInf}));
  collector_.observe(kX, Tensor::from<float>({1}, {4}));  // a loop computes a value again
  other.begin_sample(3);
  other.observe(kX, Tensor::from<float>({2}, {9, 0x1p-41F}));
  collector_.merge(other);
  EXPECT_EQ(collector_.samples(), (std::vector<size_t>{3, 7}));
  const std::vector<size_t> backwards = {7, 3};
  EXPECT_EQ(collector_.extremes(kX, backwards), (std::vector<Extremes>{{-2, 4}, {0, 9}}));
  EXPECT_EQ(collector_.extremes(kY, backwards), (std::vector<Extremes>{{}, {}})) << "never computed";
}

TEST_F(CollectorTest, KeepsNoExtremesOfSamplesThatWereNotBegun) {
  collector_.observe(kX, Tensor::from<float>({1}, {1}));
  EXPECT_TRUE(collector_.samples().empty());
  const std::vector<size_t> first = {0};
  EXPECT_THROW((void)collector_.extremes(kX, first), Error);
}

TEST_F(CollectorTest, CutsATensorOfABatchAlongItsFirstAxis) {
  const std::vector<size_t> batch = {4, 5};
  collector_.begin_batch(batch);
  collector_.observe(kX, to_channels_last(Tensor::from<float>({2, 2, 2}, {1, 2, 3, 4, -5, 6, 7, 8})));
  collector_.observe(kY, Tensor::from<float>({3}, {1, 2, 3}));
  EXPECT_EQ(collector_.extremes(kX, batch), (std::vector<Extremes>{{1, 4}, {-5, 8}}));
  EXPECT_EQ(collector_.extremes(kY, batch), (std::vector<Extremes>{{1, 3}, {1, 3}})) << "belongs to each of them";
  EXPECT_EQ(collector_.histogram(kX), histogram_of({1, 2, 3, 4, -5, 6, 7, 8}));
}

TEST_F(CollectorTest, CutsATensorOfABatchAlongTheAxisOfItsSamples) {
  using Kind = SampleAxis::Kind;
  const std::vector<size_t> batch = {4, 5};
  const Tensor square = Tensor::from<float>({2, 2, 2}, {1, 2, 3, 4, -5, 6, 7, 8});
  const auto extremes = [&](const Tensor& tensor, const SampleAxis& where) {
    Collector collector(graph_, watched_);
    collector.begin_batch(batch);
    collector.observe(kX, tensor, {}, where);
    EXPECT_EQ(collector.histogram(kX), histogram_of({1, 2, 3, 4, -5, 6, 7, 8}));
    return collector.extremes(kX, batch);
  };
  const std::vector<Extremes> second{{-5, 6}, {3, 8}}, last{{-5, 7}, {2, 8}}, both{{-5, 8}, {-5, 8}};
  EXPECT_EQ(extremes(square, {Kind::Counts, 1, 0}), second);
  EXPECT_EQ(extremes(to_channels_last(square), {Kind::Counts, 1, 0}), second);
  EXPECT_EQ(extremes(square, {Kind::Counts, 2, 0}), last);
  EXPECT_EQ(extremes(square.reshaped({4, 2}), {Kind::Counts, 0, 1}), second) << "[steps * samples, features]";
  EXPECT_EQ(extremes(square, {Kind::Unknown, 0, 0}), both);
  EXPECT_EQ(extremes(square, {Kind::Independent, 0, 0}), both);
}

TEST_F(CollectorTest, LeavesOutWhatDoesNotCountOfEachSample) {
  const std::vector<size_t> batch = {4, 5};
  collector_.begin_batch(batch);
  const std::vector<uint8_t> counted = {1, 1, 0, 1};
  collector_.observe(kX, Tensor::from<float>({2, 2}, {1, 2, 90, 4}), counted, {SampleAxis::Kind::Counts, 1, 0});
  EXPECT_EQ(collector_.extremes(kX, batch), (std::vector<Extremes>{{1, 1}, {2, 4}}));
}

TEST_F(CollectorTest, LeavesOutWhatDoesNotCount) {
  const std::vector<size_t> batch = {4, 5};
  collector_.begin_batch(batch);
  const std::vector<uint8_t> counted = {1, 0, 1, 1};
  collector_.observe(kX, Tensor::from<float>({2, 2}, {1, NAN, -5, 6}), counted);
  EXPECT_EQ(collector_.extremes(kX, batch), (std::vector<Extremes>{{1, 1}, {-5, 6}}));
  EXPECT_EQ(collector_.histogram(kX), histogram_of({1, -5, 6}));
  EXPECT_TRUE(collector_.non_finite().empty()) << "nothing is wrong with padding";
}

TEST_F(CollectorTest, HasNothingToWarnOfWhenAllIsFinite) {
  collector_.begin_sample(1);
  collector_.observe(kX, Tensor::from<float>({2}, {1, -1}));
  EXPECT_TRUE(collector_.non_finite().empty());
}

}  // namespace
}  // namespace detent
