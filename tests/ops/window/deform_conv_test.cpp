#include "ops/node_runner.h"

namespace detent {
namespace {

using test::run_one;
using test::values;
using testing::ElementsAre;

Tensor filled(const Shape& shape, float value) {
  Tensor tensor(DataType::Float32, shape);
  for (float& x : tensor.mutable_data<float>()) x = value;
  return tensor;
}

TEST(DeformConv, WithoutOffsetsIsAConvolution) {
  const Tensor x = test::ramp({2, 4, 5, 5}), w = test::ramp({6, 2, 3, 3}), bias = test::ramp({6});
  const std::string attributes = "<group = 2, strides = [2, 1], pads = [1, 0, 1, 0]";
  const Tensor expected = run_one("y = Conv" + attributes + ">(a, b, c)", {x, w, bias});
  const Tensor y = run_one("y = DeformConv" + attributes + ", offset_group = 2>(a, b, c, d, e)",
                           {x, w, filled({2, 36, 3, 3}, 0), bias, filled({2, 18, 3, 3}, 1)}, {19});
  const auto wanted = values(expected);
  // 18 products up to 9 summed in float by the convolution: 18 half ulps of sums up to 165
  test::expect_close(y, expected.shape(), {wanted.begin(), wanted.end()}, 1e-6, 2e-4);
}

TEST(DeformConv, SamplesBetweenPixelsAndWeighsWithTheMask) {
  const Tensor x = Tensor::from<float>({1, 1, 2, 2}, {1, 2, 3, 4}), w = filled({1, 1, 1, 1}, 1);
  const Tensor offset = filled({1, 2, 2, 2}, 0.5F), half = filled({1, 1, 2, 2}, 0.5F);
  EXPECT_THAT(values(run_one("y = DeformConv(a, b, c)", {x, w, offset}, {19})), ElementsAre(2.5F, 1.5F, 1.75F, 1));
  EXPECT_THAT(values(run_one("y = DeformConv(a, b, c, , e)", {x, w, offset, Tensor(), half}, {19})),
              ElementsAre(1.25F, 0.75F, 0.875F, 0.5F));
}

TEST(DeformConv, RefusesOffsetsThatDoNotFit) {
  EXPECT_THROW(run_one("y = DeformConv(a, b, c)",
                       {test::ramp({1, 1, 2, 2}), test::ramp({1, 1, 1, 1}), test::ramp({1, 1, 2, 2})}, {19}),
               Error);
}

}  // namespace
}  // namespace detent
