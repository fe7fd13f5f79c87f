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
