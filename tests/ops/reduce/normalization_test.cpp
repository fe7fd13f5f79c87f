#include "ops/node_runner.h"

namespace detent {
namespace {

using test::run_one;

// Sums of up to 105 terms, a root and a division: a few ulp of results that reach 10.
constexpr double kRelative = 2e-6, kAbsolute = 1e-5;

/// Normalizes `rows` stretches of `length` and applies scale and bias, picked by element index.
template <class Pick>
std::vector<double> naive(const Tensor& input, size_t rows, size_t length, const Tensor& scale, const Tensor& bias,
                          Pick pick) {
  std::vector<double> result;
  const auto data = input.data<float>();
  for (size_t r = 0; r < rows; ++r) {
    double mean = 0, variance = 0;
    for (size_t i = 0; i < length; ++i) mean += static_cast<double>(data[r * length + i]) / static_cast<double>(length);
    for (size_t i = 0; i < length; ++i)
      variance += std::pow(static_cast<double>(data[r * length + i]) - mean, 2) / static_cast<double>(length);
    for (size_t i = 0; i < length; ++i) {
      const size_t at = pick(r * length + i);
      const double x = (static_cast<double>(data[r * length + i]) - mean) / std::sqrt(variance + 1e-3);
      result.push_back(x * static_cast<double>(scale.data<float>()[at]) + static_cast<double>(bias.data<float>()[at]));
    }
  }
  return result;
}

TEST(InstanceNormalization, NormalizesEveryChannelInBothLayouts) {
  const Tensor input = test::ramp({2, 19, 7, 15}, 5, 9), scale = test::ramp({19}, 0.5F, 2), bias = test::ramp({19});
  const auto expected = naive(input, 38, 105, scale, bias, [](size_t i) { return i / 105 % 19; });
  for (const Layout layout : test::kLayouts)
    test::expect_close(
        run_one("y = InstanceNormalization<epsilon = 0.001>(a, b, c)", {input, scale, bias}, {13, layout}),
        input.shape(), expected, kRelative, kAbsolute);
}

TEST(InstanceNormalization, RefusesScalesOfOtherChannels) {
  EXPECT_THROW(run_one("y = InstanceNormalization(a, b, b)", {test::ramp({1, 3, 4}), test::ramp({4})}), Error);
}

TEST(LayerNormalization, NormalizesTheLastAxes) {
  const Tensor input = test::ramp({4, 5, 21}, 5, 9), scale = test::ramp({21}, 0.5F, 2), bias = test::ramp({21});
  const auto outputs = test::run_node("y, y1, y2 = LayerNormalization<epsilon = 0.001>(a, b, c)", {input, scale, bias},
                                      {17, Layout::Plain, 3});
  test::expect_close(outputs[0], input.shape(), naive(input, 20, 21, scale, bias, [](size_t i) { return i % 21; }),
                     kRelative, kAbsolute);
  EXPECT_EQ(outputs[1].shape(), (Shape{4, 5, 1}));
  EXPECT_EQ(outputs[2].shape(), (Shape{4, 5, 1}));
}

TEST(GroupNormalization, TakesScalesOfGroupsOrChannels) {
  const Tensor input = test::ramp({2, 6, 5, 7}, 5, 9), of_groups = test::ramp({3}, 0.5F, 2),
               of_channels = test::ramp({6}, 0.5F, 2);
  const std::string node = "y = GroupNormalization<num_groups = 3, epsilon = 0.001>(a, b, c)";
  test::expect_close(run_one(node, {input, of_groups, of_groups}, {18}), input.shape(),
                     naive(input, 6, 70, of_groups, of_groups, [](size_t i) { return i / 70 % 3; }), kRelative,
                     kAbsolute);
  test::expect_close(run_one(node, {input, of_channels, of_channels}, {21}), input.shape(),
                     naive(input, 6, 70, of_channels, of_channels, [](size_t i) { return i / 35 % 6; }), kRelative,
                     kAbsolute);
}

TEST(LayerNormalization, GivesStatisticsInTheStashType) {
  // 1, 3 -> mean 2, deviation 1; 3001, 3003 -> mean 3002, which is no half
  const Tensor x = Tensor::from<float>({2, 2}, {1, 3, 3001, 3003}), one = Tensor::from<float>({2}, {1, 1});
  const auto run = [&](DataType type, const std::string& attributes) {
    return test::run_node("y, y1, y2 = LayerNormalization<epsilon = 0.0" + attributes + ">(a, b)",
                          {cast(x, type), cast(one, type)}, {.opset = 17, .outputs = 3});
  };
  for (const DataType type : {DataType::Float32, DataType::Float64, DataType::Float16}) {
    const auto y = run(type, "");
    EXPECT_EQ(y[0].type(), type);
    EXPECT_EQ(y[1].type(), DataType::Float32);
    EXPECT_EQ(test::values(y[2])[0], 1);
    EXPECT_EQ(y[1].shape(), (Shape{2, 1}));
    EXPECT_EQ(test::values(y[1])[0], 2);
  }
  EXPECT_EQ(test::values(run(DataType::Float32, "")[1])[1], 3002);
  EXPECT_EQ(run(DataType::Float16, ", stash_type = 16")[2].type(), DataType::BFloat16);
}

TEST(LayerNormalization, BroadcastsScaleAndBias) {
  const Tensor x = Tensor::from<float>({2, 2}, {1, 3, 5, 7});
  const Tensor rows = Tensor::from<float>({2, 1}, {2, 3}), single = Tensor::from<float>({1}, {10});
  EXPECT_THAT(test::values(run_one("y = LayerNormalization<epsilon = 0.0>(a, b, c)", {x, rows, single}, {17})),
              testing::ElementsAre(8, 12, 7, 13));
  EXPECT_THROW(run_one("y = LayerNormalization(a, b)", {x, test::ramp({3})}, {17}), Error);
  EXPECT_THROW(run_one("y = LayerNormalization(a, b)", {x, test::ramp({2, 1, 2})}, {17}), Error);
}

}  // namespace
}  // namespace detent
