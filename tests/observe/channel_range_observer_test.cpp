#include "observe/channel_range_observer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace detent {
namespace {

using ::testing::ElementsAre;

constexpr ValueId kValue{3};

std::map<ValueId, int> axis_of(int axis) { return {{kValue, axis}}; }

const Tensor kTensor = Tensor::from<float>(Shape{1, 2, 1, 3}, {1, -2, 3, 10, 20, -30});

TEST(ChannelRangeObserver, SeesTheExtremesOfEachChannelInEitherLayout) {
  for (const Tensor& tensor : {kTensor, to_channels_last(kTensor)}) {
    ChannelRangeObserver observer(axis_of(1));
    observer.observe(kValue, tensor);
    EXPECT_THAT(observer.ranges().at(kValue).min, ElementsAre(-2, -30));
    EXPECT_THAT(observer.ranges().at(kValue).max, ElementsAre(3, 20));
  }
}

TEST(ChannelRangeObserver, CountsAlongTheAxisGiven) {
  ChannelRangeObserver observer(axis_of(3));
  observer.observe(kValue, kTensor);
  EXPECT_THAT(observer.ranges().at(kValue).max, ElementsAre(10, 20, 3));
}

TEST(ChannelRangeObserver, LeavesOutWhatIsNotFiniteAndValuesNotAskedFor) {
  ChannelRangeObserver observer(axis_of(0));
  const float inf = std::numeric_limits<float>::infinity();
  observer.observe(kValue, Tensor::from<float>(Shape{3}, {inf, std::numeric_limits<float>::quiet_NaN(), 1}));
  observer.observe(ValueId{4}, kTensor);
  EXPECT_THAT(observer.ranges().at(kValue).max, ElementsAre(0, 0, 1));
  EXPECT_EQ(observer.ranges().size(), 1U);
}

TEST(ChannelRangeObserver, KnowsWhatAChannelNeverFallsBelow) {
  ChannelRangeObserver observer(axis_of(0));
  observer.observe(kValue, Tensor::from<float>(Shape{2, 2}, {3, 2, -5, -4}));
  EXPECT_THAT(observer.ranges().at(kValue).min, ElementsAre(2, -5));
  EXPECT_THAT(observer.ranges().at(kValue).max, ElementsAre(3, -4)) << "0 was not seen";
}

TEST(ChannelRangeObserver, MergesInAnyOrder) {
  ChannelRangeObserver one(axis_of(1)), other(axis_of(1)), none(axis_of(1));
  one.observe(kValue, kTensor);
  other.observe(kValue, Tensor::from<float>(Shape{1, 2}, {7, -50}));
  ChannelRangeObserver forward = one, backward = other;
  forward.merge(other);
  forward.merge(none);
  backward.merge(one);
  EXPECT_THAT(forward.ranges().at(kValue).max, ElementsAre(7, 20));
  EXPECT_EQ(forward.ranges().at(kValue).min, backward.ranges().at(kValue).min);
}

}  // namespace
}  // namespace detent
