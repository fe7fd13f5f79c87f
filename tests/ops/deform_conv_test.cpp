#include "ops/node_runner.h"

namespace detent {
namespace {

using test::ramp;
using test::run_one;

TEST(DeformConv, IsAConvolutionWhereNothingIsMoved) {
  const Tensor x = ramp({2, 4, 6, 5}), w = ramp({6, 2, 3, 3}), b = ramp({6});
  const std::string attributes = "group = 2, pads = [1, 0, 1, 2], strides = [2, 1], dilations = [1, 2]";
  const Tensor expected = run_one("y = Conv<" + attributes + ">(a, b, c)", {x, w, b});
  const Tensor offsets = ramp({2, 36, expected.shape()[2], expected.shape()[3]}, 0, 0);
  const Tensor got = run_one("y = DeformConv<offset_group = 2, " + attributes + ">(a, b, c, d)", {x, w, offsets, b}, {.opset = 19});
  const std::vector<float> own = test::values(expected);
  // 18 products below 9 in float, summed in another order: 18 * 18 * 9 * 2^-24 = 2e-4.
  test::expect_close(got, expected.shape(), {own.begin(), own.end()}, 0, 2e-4);
}

TEST(DeformConv, ReadsWhereTheOffsetsPointWeightedByTheMask) {
  const Tensor x = Tensor::from<float>({1, 1, 2, 2}, {1, 2, 3, 4}), w = Tensor::from<float>({1, 1, 1, 1}, {10});
  const Tensor offsets = Tensor::from<float>({1, 2, 2, 2}, {0, 0.5F, -1, 0, /* columns */ 1, 0, 0, 0.25F});
  const Tensor mask = Tensor::from<float>({1, 1, 2, 2}, {1, 1, 1, 0.5F});
  const Tensor got = run_one("y = DeformConv(a, b, c, , e)", {x, w, offsets, Tensor(), mask}, {.opset = 19});
  // Right neighbour; half way down; one up; three quarters of the last, half of that.
  EXPECT_THAT(test::values(got), testing::ElementsAre(20, 30, 10, 15));
}

TEST(DeformConv, RefusesOffsetsOfAnotherShape) {
  EXPECT_THROW(run_one("y = DeformConv(a, b, c)", {ramp({1, 1, 4, 4}), ramp({1, 1, 2, 2}), ramp({1, 8, 4, 4})}, {.opset = 19}), Error);
}

}  // namespace
}  // namespace detent
