// LRN, LpNormalization, MeanVarianceNormalization, RMSNormalization, losses.

#include "ops/node_runner.h"

namespace detent {
namespace {

using test::expect_close;
using test::run_node;
using test::run_one;
using test::values;
using testing::ElementsAre;

// All of these are computed in double and rounded once to float: half an ulp, 6e-8, plus float attributes' rounding.
constexpr double kNormRelative = 1e-6;

double number_at(const Tensor& tensor, int64_t i) {
  return static_cast<double>(tensor.data<float>()[static_cast<size_t>(i)]);
}

TEST(LRN, EqualsTheNaiveLoopForEvenAndOddSizes) {
  const Tensor input = test::ramp({2, 5, 3});
  for (const int64_t size : {1, 2, 3, 4, 9}) {
    std::vector<double> expected;
    for (int64_t i = 0; i < 30; ++i) {
      const int64_t n = i / 15, c = i / 3 % 5, s = i % 3;
      double squares = 0;
      for (int64_t k = std::max<int64_t>(0, c - (size - 1) / 2); k <= std::min<int64_t>(4, c + size / 2); ++k)
        squares += std::pow(number_at(input, (n * 5 + k) * 3 + s), 2);
      expected.push_back(number_at(input, i) / std::pow(2 + 0.5 / static_cast<double>(size) * squares, 0.75));
    }
    const std::string node = "y = LRN<alpha = 0.5, beta = 0.75, bias = 2.0, size = " + std::to_string(size) + ">(a)";
    expect_close(run_one(node, {input}), {2, 5, 3}, expected, kNormRelative, 1e-9);
  }
  EXPECT_THROW(run_one("y = LRN(a)", {input}), Error);
}

// Windows beyond 16 channels are summed in another way: 40 channels hold two windows of 17 and a part of a third.
TEST(LRN, EqualsTheNaiveLoopForLongWindowsToo) {
  const Tensor input = test::ramp({1, 40, 2});
  for (const int64_t size : {17, 18, 20, 39, 40, 41, 1 << 30}) {
    std::vector<double> expected;
    for (int64_t i = 0; i < 80; ++i) {
      const int64_t c = i / 2, s = i % 2;
      double squares = 0;
      for (int64_t k = std::max<int64_t>(0, c - (size - 1) / 2); k <= std::min<int64_t>(39, c + size / 2); ++k)
        squares += std::pow(number_at(input, k * 2 + s), 2);
      expected.push_back(number_at(input, i) / std::pow(2 + 0.5 / static_cast<double>(size) * squares, 0.75));
    }
    const std::string node = "y = LRN<alpha = 0.5, beta = 0.75, bias = 2.0, size = " + std::to_string(size) + ">(a)";
    expect_close(run_one(node, {input}), {1, 40, 2}, expected, kNormRelative, 1e-9);
  }
}

TEST(LpNormalization, DividesLinesByTheirNorm) {
  const Tensor input = Tensor::from<float>({2, 2}, {3, 0, -4, 0});
  EXPECT_THAT(values(run_one("y = LpNormalization<axis = 0>(a)", {input})),
              ElementsAre(testing::FloatEq(0.6F), 0, testing::FloatEq(-0.8F), 0));
  EXPECT_THAT(values(run_one("y = LpNormalization<p = 1>(a)", {input})), ElementsAre(1, 0, -1, 0));
  EXPECT_THROW(run_one("y = LpNormalization<p = 3>(a)", {input}), Error);
}

TEST(MeanVarianceNormalization, CentresAndScalesTheListedAxes) {
  const Tensor input = test::ramp({2, 3, 4, 5});
  std::vector<double> expected;
  for (int64_t i = 0; i < 120; ++i) {
    double mean = 0, squares = 0;
    for (int64_t k = 0; k < 120; ++k)
      if (k / 20 % 3 == i / 20 % 3) mean += number_at(input, k) / 40;
    for (int64_t k = 0; k < 120; ++k)
      if (k / 20 % 3 == i / 20 % 3) squares += std::pow(number_at(input, k) - mean, 2) / 40;
    expected.push_back((number_at(input, i) - mean) / std::sqrt(squares));
  }
  expect_close(run_one("y = MeanVarianceNormalization(a)", {input}), {2, 3, 4, 5}, expected, kNormRelative, 1e-7);
  EXPECT_THROW(run_one("y = MeanVarianceNormalization(a)", {test::ramp({2, 3})}), Error);  // no axis 3
}

TEST(RMSNormalization, NormalizesFromAnAxisOn) {
  const Tensor input = test::ramp({2, 3, 4}), scale = test::ramp({3, 4}, 1, 2);
  std::vector<double> expected;
  for (int64_t i = 0; i < 24; ++i) {
    double squares = 0;
    for (int64_t k = 0; k < 12; ++k) squares += std::pow(number_at(input, i / 12 * 12 + k), 2) / 12;
    expected.push_back(number_at(input, i) / std::sqrt(squares + 1e-5) * number_at(scale, i % 12));
  }
  expect_close(run_one("y = RMSNormalization<axis = 1>(a, b)", {input, scale}, {23}), {2, 3, 4}, expected,
               kNormRelative, 1e-9);
  EXPECT_THROW(run_one("y = RMSNormalization(a, b)", {input, test::ramp({3})}, {23}), Error);
}

TEST(FloatOnly, KernelsTakeDoubles) {
  const auto one = [](double x) { return Tensor::from<double>({1}, {x}); };
  const Tensor x = Tensor::from<double>({1, 1, 2}, {1, 5});
  const Tensor y =
      run_one("y = BatchNormalization<epsilon = 0.0>(a, b, c, d, e)", {x, one(2), one(1), one(3), one(4)}, {15});
  EXPECT_THAT(y.data<double>(), ElementsAre(-1, 3));
  EXPECT_THAT(run_one("y = InstanceNormalization<epsilon = 0.0>(a, b, c)", {x, one(2), one(1)}).data<double>(),
              ElementsAre(-1, 3));
  EXPECT_THAT(run_one("y = Conv(a, b)", {x, Tensor::from<double>({1, 1, 1}, {3})}).data<double>(), ElementsAre(3, 15));
}

TEST(NegativeLogLikelihoodLoss, WeighsAndIgnores) {
  const Tensor x = Tensor::from<float>({3, 2}, {-1, -2, -3, -4, -5, -6}), w = Tensor::from<float>({2}, {1, 3});
  const Tensor label = test::int64s({1, 0, 1});
  const auto loss = [&](const std::string& attributes) {
    return values(run_one("y = NegativeLogLikelihoodLoss<" + attributes + ">(a, b, c)", {x, label, w}));
  };
  EXPECT_THAT(loss("reduction = \"none\""), ElementsAre(6, 3, 18));
  EXPECT_THAT(loss("reduction = \"sum\""), ElementsAre(27));
  EXPECT_THAT(loss("reduction = \"mean\""), ElementsAre(testing::FloatEq(27.0F / 7)));
  EXPECT_THAT(loss("reduction = \"mean\", ignore_index = 1"), ElementsAre(3));
  EXPECT_THROW(run_one("y = NegativeLogLikelihoodLoss(a, b)", {x, test::int64s({1, 0, 2})}), Error);
  EXPECT_THROW(run_one("y = NegativeLogLikelihoodLoss(a, b)", {x, test::int64s({1, 0})}), Error);
}

TEST(SoftmaxCrossEntropyLoss, GivesTheLossAndTheLogProbabilities) {
  const Tensor x = test::ramp({2, 3, 2}), label = Tensor::from<int64_t>({2, 2}, {0, 2, 1, 0});
  const auto outputs =
      run_node("y, y1 = SoftmaxCrossEntropyLoss<reduction = \"none\">(a, b)", {x, label}, {.opset = 13, .outputs = 2});
  std::vector<double> logs(12), losses;
  for (int64_t i = 0; i < 12; ++i) {
    double sum = 0;
    for (int64_t c = 0; c < 3; ++c) sum += std::exp(number_at(x, i / 6 * 6 + c * 2 + i % 2));
    logs[static_cast<size_t>(i)] = number_at(x, i) - std::log(sum);
  }
  for (size_t i = 0; i < 4; ++i)
    losses.push_back(-logs[i / 2 * 6 + static_cast<size_t>(label.data<int64_t>()[i]) * 2 + i % 2]);
  expect_close(outputs[1], {2, 3, 2}, logs, kNormRelative, 1e-6);  // a difference of numbers up to 5: 5 half ulps
  expect_close(outputs[0], {2, 2}, losses, kNormRelative, 1e-6);
  EXPECT_THROW(run_one("y = SoftmaxCrossEntropyLoss<reduction = \"max\">(a, b)", {x, label}), Error);
}

TEST(RmsNormalization, HasTheTypeOfTheScale) {
  const Tensor x = Tensor::from<float>({1, 2}, {3, -3}), scale = Tensor::from<float>({2}, {2, 2});
  for (const DataType from : {DataType::Float32, DataType::Float16, DataType::Float64})
    for (const DataType to : {DataType::Float32, DataType::BFloat16, DataType::Float64}) {
      const Tensor y = run_one("y = RMSNormalization<epsilon = 0.0>(a, b)", {cast(x, from), cast(scale, to)}, {23});
      EXPECT_EQ(y.type(), to);
      EXPECT_THAT(values(cast(y, DataType::Float32)), ElementsAre(2, -2));
    }
}

}  // namespace
}  // namespace detent
