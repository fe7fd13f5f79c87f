#include "evaluate/batch_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace detent {
namespace {

using ::testing::ElementsAre;

constexpr SampleAxis kFront{}, kSecond{SampleAxis::Kind::Counts, 1, 0}, kUnknown{SampleAxis::Kind::Unknown, 0, 0};

Tensor counting(const Shape& shape) {
  Tensor tensor(DataType::Float32, shape);
  float next = 0;
  for (float& element : tensor.mutable_data<float>()) element = next++;
  return tensor;
}

Tensor real(const Shape& shape, const SampleAxis& axis) {
  return real_part({counting(shape)}, 4, 3, std::vector{axis}).front();
}

TEST(RealPart, IsTheFirstSamplesOfEachOutput) {
  EXPECT_EQ(real({4, 2}, kFront).shape(), (Shape{3, 2}));
  EXPECT_THAT(real({4, 2}, kFront).data<float>(), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(real({2, 4, 1}, kSecond).shape(), (Shape{2, 3, 1}));
  EXPECT_THAT(real({2, 4, 1}, kSecond).data<float>(), ElementsAre(0, 1, 2, 4, 5, 6));
  EXPECT_THAT(real({4, 4}, kSecond).data<float>(), ElementsAre(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14));
  EXPECT_EQ(real({8, 1}, kFront).shape(), (Shape{6, 1})) << "two rows a sample";
}

TEST(RealPart, IsAllWhereSamplesAreNotFound) {
  EXPECT_EQ(real({4, 2}, kUnknown).shape(), (Shape{4, 2}));
  EXPECT_EQ(real({5, 2}, kFront).shape(), (Shape{5, 2}));
  EXPECT_EQ(real_part({counting({4, 2})}, 4, 4, {}).front().shape(), (Shape{4, 2})) << "none repeats";
}

Tensor in_front(const Shape& shape, size_t samples, const SampleAxis& axis) {
  return with_samples_in_front(std::vector{counting(shape)}, samples, std::vector{axis}).front();
}

TEST(SamplesInFront, MovesTheirAxis) {
  EXPECT_EQ(in_front({2, 3, 2}, 3, kSecond).shape(), (Shape{3, 2, 2}));
  EXPECT_THAT(in_front({2, 3, 2}, 3, kSecond).data<float>(), ElementsAre(0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11));
  const SampleAxis steps_first{SampleAxis::Kind::Counts, 0, 1}, samples_first{SampleAxis::Kind::Counts, 0, 0};
  EXPECT_EQ(in_front({6, 1}, 2, steps_first).shape(), (Shape{2, 3, 1}));
  EXPECT_THAT(in_front({6, 1}, 2, steps_first).data<float>(), ElementsAre(0, 2, 4, 1, 3, 5)) << "[steps * samples, 1]";
  EXPECT_EQ(in_front({6, 1}, 2, samples_first).shape(), (Shape{2, 3, 1}));
  EXPECT_THAT(in_front({6, 1}, 2, samples_first).data<float>(), ElementsAre(0, 1, 2, 3, 4, 5))
      << "[samples * steps, 1]";
  EXPECT_EQ(in_front({2, 1}, 1, kSecond).shape(), (Shape{1, 2})) << "the last batch, of which one sample counts";
}

TEST(SamplesInFront, LeavesWhatIsInFront) {
  EXPECT_EQ(in_front({4, 2}, 4, kFront).shape(), (Shape{4, 2}));
  EXPECT_EQ(in_front({5}, 1, kFront).shape(), Shape{5}) << "one sample";
  EXPECT_EQ(in_front({5, 2}, 4, kFront).shape(), (Shape{5, 2})) << "no batch";
  EXPECT_EQ(in_front({4, 2}, 4, kUnknown).shape(), (Shape{4, 2})) << "no other axis has the extent";
}

TEST(SamplesInFront, IsEmptyWhereTheyAreNotToldApart) {
  EXPECT_TRUE(in_front({4, 4}, 4, kUnknown).empty_handle());
  EXPECT_TRUE(in_front({3, 4}, 4, kUnknown).empty_handle());
  EXPECT_TRUE(in_front({4, 2}, 4, SampleAxis{SampleAxis::Kind::Independent, 0, 0}).empty_handle());
}

TEST(ErrorsOf, LeaveOutThePaddingOfEachSample) {
  const BatchContent content{{1, 1}, {1, 0}};
  const Tensor expected = Tensor::from<float>({2, 2}, {1, 1, 1, 1}), got = Tensor::from<float>({2, 2}, {1, 1, 1, 9});
  const Tensor elsewhere = Tensor::from<float>({2, 2}, {1, 9, 1, 1});
  std::vector<bool> comparable{true};
  const auto noise = [&](const Tensor& output, OutputAxes axes) {
    return errors_of({expected}, {output}, content, axes, comparable).front().noise;
  };
  EXPECT_EQ(noise(got, {}), 0) << "the second sample's second position";
  EXPECT_EQ(noise(got, std::vector{kSecond}), 0);
  EXPECT_EQ(noise(Tensor::from<float>({2, 2}, {1, 1, 9, 1}), std::vector{kSecond}), 64) << "the first sample's";
  EXPECT_EQ(noise(elsewhere, {}), 64);
  EXPECT_EQ(noise(got, std::vector{kUnknown}), 64);
}

}  // namespace
}  // namespace detent
