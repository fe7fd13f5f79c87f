#include <gtest/gtest.h>

#include "ops/one_node.h"

namespace detent {
namespace {

using test::run_node;
using test::whole_numbers;

std::vector<float> pool_values(const Tensor& tensor) {
  return {tensor.data<float>().begin(), tensor.data<float>().end()};
}

TEST(MaxPool, TakesTheLargestOfEveryWindow) {
  const Tensor x = Tensor::from<float>({1, 1, 2, 4}, {1, 2, 3, 4, 8, 7, 6, 5});
  EXPECT_EQ(pool_values(run_node("MaxPool <kernel_shape = [2,2], strides = [2,2]> (a)", {x}, false)),
            (std::vector<float>{8, 6}));
  EXPECT_EQ(pool_values(run_node("MaxPool <kernel_shape = [1,3]> (a)", {x}, false)), (std::vector<float>{3, 4, 8, 7}));
}

TEST(MaxPool, NeverPicksThePadding) {
  const Tensor x = Tensor::from<float>({1, 1, 3}, {-5, -3, -4});
  EXPECT_EQ(pool_values(run_node("MaxPool <kernel_shape = [3], pads = [1,1]> (a)", {x}, false)),
            (std::vector<float>{-3, -3, -3}));
}

TEST(MaxPool, RoundsTheOutputUpInCeilMode) {
  const Tensor x = Tensor::from<float>({1, 1, 5}, {1, 2, 3, 4, 5});
  EXPECT_EQ(pool_values(run_node("MaxPool <kernel_shape = [2], strides = [2]> (a)", {x}, false)),
            (std::vector<float>{2, 4}));
  EXPECT_EQ(pool_values(run_node("MaxPool <kernel_shape = [2], strides = [2], ceil_mode = 1> (a)", {x}, false)),
            (std::vector<float>{2, 4, 5}));
}

TEST(MaxPool, RoundsUpInCeilModeWithoutPaddingToo) {
  const Tensor x = Tensor::from<float>({1, 1, 5}, {1, 2, 3, 4, 5});
  const auto pooled = [&](const std::string& attributes) {
    return pool_values(run_node(
        "MaxPool <kernel_shape = [2], strides = [2], auto_pad = \"VALID\"" + attributes + "> (a)", {x}, false));
  };
  EXPECT_EQ(pooled(", ceil_mode = 1"), (std::vector<float>{2, 4, 5}));
  EXPECT_EQ(pooled(""), (std::vector<float>{2, 4}));
}

TEST(MaxPool, WalksDilatedWindowsInThreeDimensions) {
  const Tensor x = whole_numbers({2, 3, 6, 5, 5}, 7, 100);
  const Tensor y = run_node("MaxPool <kernel_shape = [2,2,2], dilations = [3,2,1]> (a)", {x}, false);
  ASSERT_EQ(y.shape(), (Shape{2, 3, 3, 3, 4}));
  const auto in = x.data<float>();
  const auto out = y.data<float>();
  const auto index = [](size_t c, size_t d, size_t h, size_t w) { return ((c * 6 + d) * 5 + h) * 5 + w; };
  for (size_t c = 0; c < 6; ++c)
    for (size_t d = 0; d < 3; ++d)
      for (size_t h = 0; h < 3; ++h)
        for (size_t w = 0; w < 4; ++w) {
          float best = -1000;
          for (size_t k = 0; k < 8; ++k)
            best = std::max(best, in[index(c, d + 3 * (k >> 2), h + 2 * (k >> 1 & 1), w + (k & 1))]);
          EXPECT_EQ(out[((c * 3 + d) * 3 + h) * 4 + w], best);
        }
}

TEST(AveragePool, CountsPaddingOnlyWhenAsked) {
  const Tensor x = Tensor::from<float>({1, 1, 2}, {2, 4});
  EXPECT_EQ(pool_values(run_node("AveragePool <kernel_shape = [2], pads = [1,1]> (a)", {x}, false)),
            (std::vector<float>{2, 3, 4}));
  EXPECT_EQ(
      pool_values(run_node("AveragePool <kernel_shape = [2], pads = [1,1], count_include_pad = 1> (a)", {x}, false)),
      (std::vector<float>{1, 3, 2}));
}

TEST(AveragePool, NeverCountsWhatLiesBeyondThePaddingInCeilMode) {
  // Windows start at -1, 1, 3; the last holds 4 and one padded element, the element beyond it does not count.
  const Tensor x = Tensor::from<float>({1, 1, 4}, {2, 4, 6, 8});
  EXPECT_EQ(
      pool_values(run_node(
          "AveragePool <kernel_shape = [3], strides = [2], pads = [1,1], ceil_mode = 1, count_include_pad = 1> (a)",
          {x}, false)),
      (std::vector<float>{2, 6, 4}));
}

TEST(AveragePool, RefusesAWindowLargerThanTheInput) {
  EXPECT_THROW(run_node("AveragePool <kernel_shape = [3]> (a)", {whole_numbers({1, 1, 2}, 1)}, false), Error);
}

}  // namespace
}  // namespace detent
