#include <array>
#include <utility>

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

double at(const Tensor& tensor, std::array<int64_t, 4> place) {
  int64_t offset = 0;
  for (size_t axis = 0; axis < 4; ++axis) offset = offset * tensor.shape()[axis] + place[axis];
  return static_cast<double>(tensor.data<float>()[static_cast<size_t>(offset)]);
}

/// Bilinear, 0 outside the image.
double between(const Tensor& x, int64_t channel, double row, double column) {
  double sum = 0;
  for (int64_t r = 0; r < x.shape()[2]; ++r)
    for (int64_t c = 0; c < x.shape()[3]; ++c) {
      const double near = 1 - std::abs(row - static_cast<double>(r)),
                   close = 1 - std::abs(column - static_cast<double>(c));
      if (near > 0 && close > 0) sum += near * close * at(x, {0, channel, r, c});
    }
  return sum;
}

/// Kernel 1 x 2 without padding: one sum for each filter and position.
std::vector<double> naive(const Tensor& x, const Tensor& w, const Tensor& offsets, int64_t groups,
                          int64_t offset_groups) {
  std::vector<double> out;
  const int64_t filters = w.shape()[0], channels = w.shape()[1], shared = x.shape()[1] / offset_groups;
  for (int64_t m = 0; m < filters; ++m)
    for (int64_t r = 0; r < x.shape()[2]; ++r)
      for (int64_t column = 0; column + 1 < x.shape()[3]; ++column) {
        double sum = 0;
        for (int64_t i = 0; i < channels; ++i)
          for (int64_t tap = 0; tap < 2; ++tap) {
            const int64_t c = m / (filters / groups) * channels + i, slot = 2 * (c / shared * 2 + tap);
            sum += at(w, {m, i, 0, tap}) *
                   between(x, c, static_cast<double>(r) + at(offsets, {0, slot, r, column}),
                           static_cast<double>(column + tap) + at(offsets, {0, slot + 1, r, column}));
          }
        out.push_back(sum);
      }
  return out;
}

/// Channels that a filter reads and channels that share an offset need not be the same.
TEST(DeformConv, GroupsOfFiltersAndOfOffsetsAreCutApart) {
  const Tensor x = test::ramp({1, 12, 3, 4});
  for (const auto& [groups, offset_groups] :
       std::vector<std::pair<int64_t, int64_t>>{{1, 3}, {3, 1}, {4, 3}, {12, 2}}) {
    const Tensor w = test::ramp({24, 12 / groups, 1, 2}, -1, 1),
                 offsets = test::ramp({1, 4 * offset_groups, 3, 3}, -2, 2);
    const Tensor y = run_one("y = DeformConv<group = " + std::to_string(groups) +
                                 ", offset_group = " + std::to_string(offset_groups) + ">(a, b, c)",
                             {x, w, offsets}, {19});
    // 24 products below 3, each of a sample with 7 roundings: (24 + 8) half ulps of sums below 72
    test::expect_close(y, {1, 24, 3, 3}, naive(x, w, offsets, groups, offset_groups), 0, 32 * 72 * 0x1p-24);
  }
}

TEST(DeformConv, WithoutOffsetsIsAConvolution) {
  const Tensor x = test::ramp({2, 4, 5, 5}), w = test::ramp({6, 2, 3, 3}), bias = test::ramp({6});
  const std::string attributes = "<group = 2, strides = [2, 1], pads = [1, 0, 1, 0]";
  const Tensor expected = run_one("y = Conv" + attributes + ">(a, b, c)", {x, w, bias});
  const Tensor y = run_one("y = DeformConv" + attributes + ", offset_group = 2>(a, b, c, d, e)",
                           {x, w, filled({2, 36, 3, 3}, 0), bias, filled({2, 18, 3, 3}, 1)}, {19});
  const auto wanted = values(expected);
  // 18 products up to 9 summed in float by both: 36 half ulps of sums up to 165
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
