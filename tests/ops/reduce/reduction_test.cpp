#include "ops/node_runner.h"

namespace detent {
namespace {

using test::integers;
using test::run_one;
using test::values;

struct ReductionCase {
  std::string name;
  double start;
  double (*join)(double, double);
  double (*finish)(double total, double count);
};

const ReductionCase kReductions[] = {
    {"ReduceSum", 0, [](double t, double x) { return t + x; }, [](double t, double) { return t; }},
    {"ReduceMean", 0, [](double t, double x) { return t + x; }, [](double t, double n) { return t / n; }},
    {"ReduceMax", -1e30, [](double t, double x) { return std::max(t, x); }, [](double t, double) { return t; }},
    {"ReduceMin", 1e30, [](double t, double x) { return std::min(t, x); }, [](double t, double) { return t; }},
    {"ReduceProd", 1, [](double t, double x) { return t * x; }, [](double t, double) { return t; }},
    {"ReduceL1", 0, [](double t, double x) { return t + std::abs(x); }, [](double t, double) { return t; }},
    {"ReduceL2", 0, [](double t, double x) { return t + x * x; }, [](double t, double) { return std::sqrt(t); }},
    {"ReduceSumSquare", 0, [](double t, double x) { return t + x * x; }, [](double t, double) { return t; }},
    {"ReduceLogSum", 0, [](double t, double x) { return t + x; }, [](double t, double) { return std::log(t); }},
    {"ReduceLogSumExp", 0, [](double t, double x) { return t + std::exp(x); },
     [](double t, double) { return std::log(t); }},
};

/// Reduces over the axes marked in `axes`, of a tensor of rank 4.
std::vector<double> naive_reduction(const Tensor& input, const ReductionCase& item, const std::array<bool, 4>& axes) {
  const Shape& shape = input.shape();
  Shape kept = shape;
  double count = 1;
  for (size_t i = 0; i < 4; ++i)
    if (axes[i]) {
      count *= static_cast<double>(shape[i]);
      kept[i] = 1;
    }
  std::vector<double> totals(static_cast<size_t>(kept.element_count()), item.start);
  for (int64_t i = 0; i < shape.element_count(); ++i) {
    int64_t at = 0;
    for (size_t axis = 0; axis < 4; ++axis) {
      const int64_t index = i / shape.element_count(axis + 1, 4) % shape[axis];
      at = at * kept[axis] + (axes[axis] ? 0 : index);
    }
    double& total = totals[static_cast<size_t>(at)];
    total = item.join(total, input.data<float>()[static_cast<size_t>(i)]);
  }
  for (double& total : totals) total = item.finish(total, count);
  return totals;
}

TEST(Reduction, EqualsTheNaiveLoopOverAnyAxesInBothLayouts) {
  const Tensor input = test::ramp({2, 3, 5, 37}, 0.6F, 1.4F);  // positive: sums cannot cancel
  for (const ReductionCase& item : kReductions)
    for (int mask = 1; mask < 16; ++mask)
      for (const bool keep : {true, false})
        for (const Layout layout : test::kLayouts) {
          std::array<bool, 4> axes{};
          std::vector<int64_t> listed;
          Shape shape;
          for (int64_t i = 0; i < 4; ++i) {
            axes[static_cast<size_t>(i)] = (mask >> i & 1) != 0;
            if (axes[static_cast<size_t>(i)]) listed.push_back(i % 2 ? i : i - 4);
            if (keep || !axes[static_cast<size_t>(i)])
              shape.push_back(axes[static_cast<size_t>(i)] ? 1 : input.shape()[static_cast<size_t>(i)]);
          }
          SCOPED_TRACE(item.name + " over mask " + std::to_string(mask));
          const std::string node = "y = " + item.name + "<keepdims = " + (keep ? "1" : "0") + ">(a, b)";
          // up to 1110 terms added in lanes and blocks: sqrt(1110) half ulps, rounded up
          test::expect_close(run_one(node, {input, test::int64s(listed)}, {18, layout}), shape,
                             naive_reduction(input, item, axes), 4e-6, 1e-6);
        }
}

TEST(Reduction, TakesAxesFromTheAttributeInOldOpsets) {
  const Tensor input = Tensor::from<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(test::values(run_one("y = ReduceSum<axes = [1]>(a)", {input}, {11})), testing::ElementsAre(6, 15));
  EXPECT_THAT(test::values(run_one("y = ReduceMean<axes = [-2], keepdims = 0>(a)", {input}, {13})),
              testing::ElementsAre(2.5, 3.5, 4.5));
  EXPECT_THAT(test::values(run_one("y = ReduceMax(a)", {input}, {13})), testing::ElementsAre(6));
}

TEST(Reduction, WithoutAxesReducesAllOrNothing) {
  const Tensor input = Tensor::from<float>({3}, {1, 2, 3});
  EXPECT_THAT(test::values(run_one("y = ReduceSum(a)", {input})), testing::ElementsAre(6));
  EXPECT_THAT(test::values(run_one("y = ReduceSum<noop_with_empty_axes = 1>(a)", {input})),
              testing::ElementsAre(1, 2, 3));
}

TEST(Reduction, KeepsIntegersExact) {
  const int64_t large = (int64_t{1} << 60) + 1;
  EXPECT_THAT(test::integers(run_one("y = ReduceSum(a)", {test::int64s({large, 2})})), testing::ElementsAre(large + 2));
  EXPECT_THAT(test::integers(run_one("y = ReduceProd(a)", {test::int64s({3, 4, 5})})), testing::ElementsAre(60));
}

TEST(Reduction, RefusesAnAxisOutsideTheTensor) {
  EXPECT_THROW(run_one("y = ReduceSum(a, b)", {test::ramp({2, 3}), test::int64s({2})}), Error);
}

TEST(Reduction, SumsManySmallNumbersWithoutDrift) {
  const int64_t count = 1 << 20;
  Tensor input(DataType::Float32, {1, count});
  for (float& x : input.mutable_data<float>()) x = 0.1F;
  const double exact = static_cast<double>(0.1F) * static_cast<double>(count);
  // a plain float loop is off by 1e-2 here; blocks of 512 keep it at sqrt(512) * 2^-24 and a little more
  EXPECT_NEAR(test::values(run_one("y = ReduceSum(a)", {input}))[0] / exact, 1, 1e-5);
  EXPECT_NEAR(
      test::values(run_one("y = ReduceSum(a, b)", {input.reshaped({count / 2, 2}), test::int64s({0})}))[0] / exact, 0.5,
      1e-5);
}

TEST(GlobalPool, AveragesSpaceInBothLayouts) {
  const Tensor input = test::ramp({2, 19, 7, 7}, 0.5F, 2);
  const std::array<bool, 4> space{false, false, true, true};
  for (const Layout layout : test::kLayouts) {
    // 49 terms: 7 half ulps
    test::expect_close(run_one("y = GlobalAveragePool(a)", {input}, {13, layout}), {2, 19, 1, 1},
                       naive_reduction(input, kReductions[1], space), 1e-6, 0);
    test::expect_close(run_one("y = GlobalMaxPool(a)", {input}, {13, layout}), {2, 19, 1, 1},
                       naive_reduction(input, kReductions[2], space), 0, 0);
  }
}

std::vector<double> naive_softmax(const Tensor& input, int64_t outer, int64_t axis, int64_t inner, bool logarithm) {
  std::vector<double> result(static_cast<size_t>(input.element_count()));
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      const auto at = [&](int64_t a) { return static_cast<size_t>((o * axis + a) * inner + i); };
      double sum = 0;
      for (int64_t a = 0; a < axis; ++a) sum += std::exp(static_cast<double>(input.data<float>()[at(a)]));
      for (int64_t a = 0; a < axis; ++a) {
        const double x = input.data<float>()[at(a)];
        result[at(a)] = logarithm ? x - std::log(sum) : std::exp(x) / sum;
      }
    }
  return result;
}

TEST(Softmax, NormalizesOneAxisSinceOpset13) {
  const Tensor input = test::ramp({2, 5, 3, 37}, -4, 4);
  for (const Layout layout : test::kLayouts)
    for (size_t axis = 0; axis < 4; ++axis) {
      const auto expected = [&](bool logarithm) {
        const Shape& s = input.shape();
        return naive_softmax(input, s.element_count(0, axis), s[axis], s.element_count(axis + 1, 4), logarithm);
      };
      const std::string attribute = "<axis = " + std::to_string(static_cast<int>(axis) - 4) + ">(a)";
      // exp 2 ulp, the sum and the division a few more
      test::expect_close(run_one("y = Softmax" + attribute, {input}, {13, layout}), input.shape(), expected(false),
                         2e-6, 0);
      test::expect_close(run_one("y = LogSoftmax" + attribute, {input}, {13, layout}), input.shape(), expected(true),
                         2e-6, 2e-6);
    }
}

TEST(Softmax, NormalizesAllFollowingAxesBeforeOpset13) {
  const Tensor input = test::ramp({2, 5, 3, 4}, -4, 4);
  for (const Layout layout : test::kLayouts)
    test::expect_close(run_one("y = Softmax(a)", {input}, {11, layout}), input.shape(),
                       naive_softmax(input, 2, 60, 1, false), 2e-6, 0);
}

TEST(Softmax, SurvivesLargeNumbers) {
  EXPECT_THAT(test::values(run_one("y = Softmax(a)", {Tensor::from<float>({2}, {1e30F, -1e30F})})),
              testing::ElementsAre(1, 0));
}

TEST(BatchNormalization, IsOneFactorAndOffsetAChannelInBothLayouts) {
  const Tensor input = test::ramp({2, 19, 3, 5});
  const Tensor scale = test::ramp({19}, 0.5F, 2), bias = test::ramp({19}), mean = test::ramp({19}, -1, 1),
               variance = test::ramp({19}, 0.1F, 3);
  std::vector<double> expected;
  for (size_t i = 0; i < input.data<float>().size(); ++i) {
    const size_t c = i / 15 % 19;
    const auto at = [&](const Tensor& t) { return static_cast<double>(t.data<float>()[c]); };
    expected.push_back((static_cast<double>(input.data<float>()[i]) - at(mean)) / std::sqrt(at(variance) + 1e-3) *
                           at(scale) +
                       at(bias));
  }
  for (const int opset : {7, 9, 14, 15})
    for (const Layout layout : test::kLayouts)
      // the factor has 3 roundings, numbers reach 20
      test::expect_close(run_one("y = BatchNormalization<epsilon = 0.001>(a, b, c, d, e)",
                                 {input, scale, bias, mean, variance}, {opset, layout}),
                         input.shape(), expected, 1e-6, 1e-5);
}

TEST(BatchNormalization, InTrainingTakesTheStatisticsOfTheData) {
  // Channel 0 holds 1, 3 (mean 2, variance 1), channel 1 holds 2, 10 (mean 6, variance 16).
  const Tensor x = Tensor::from<float>({2, 2}, {1, 2, 3, 10}), scale = Tensor::from<float>({2}, {1, 2}),
               bias = Tensor::from<float>({2}, {0, 1}), mean = Tensor::from<float>({2}, {10, 0}),
               variance = Tensor::from<float>({2}, {1, 8});
  const std::string node =
      "y, y1, y2 = BatchNormalization<training_mode = 1, epsilon = 0.0, momentum = 0.75>(a, b, c, d, e)";
  for (const DataType type : {DataType::Float32, DataType::Float16, DataType::Float64}) {
    const auto y = test::run_node(node, {cast(x, type), scale, bias, mean, variance}, {.opset = 15, .outputs = 3});
    EXPECT_EQ(y[0].type(), type);
    EXPECT_EQ(y[1].type(), DataType::Float32);  // as the running statistics are given
    EXPECT_THAT(values(cast(y[0], DataType::Float32)), testing::ElementsAre(-1, -1, 1, 3));
    EXPECT_THAT(values(y[1]), testing::ElementsAre(8, 1.5F));
    EXPECT_THAT(values(y[2]), testing::ElementsAre(1, 10));
  }
}

TEST(BatchNormalization, SeesOneChannelInAVector) {
  const Tensor x = Tensor::from<float>({3}, {1, 2, 3}), two = Tensor::from<float>({1}, {2}),
               four = Tensor::from<float>({1}, {4});
  EXPECT_THAT(values(run_one("y = BatchNormalization<epsilon = 0.0>(a, b, c, d, e)", {x, two, two, two, four}, {15})),
              testing::ElementsAre(1, 2, 3));
  EXPECT_THROW(run_one("y = BatchNormalization(a, b, c, d, e)", {test::ramp({3, 2}), two, two, two, four}, {15}),
               Error);
}

TEST(ReduceLogSumExp, KeepsTheDigitsOfADouble) {
  const Tensor x = Tensor::from<double>({1, 2}, {1, 2});
  const auto y = [&](const std::string& name) { return run_one("y = " + name + "(a)", {x}, {18}).data<double>()[0]; };
  EXPECT_NEAR(y("ReduceLogSumExp"), 2 + std::log1p(std::exp(-1.0)), 1e-15);
  EXPECT_NEAR(y("ReduceL2"), std::sqrt(5.0), 1e-15);
  EXPECT_NEAR(y("ReduceLogSum"), std::log(3.0), 1e-15);
  EXPECT_EQ(integers(run_one("y = ReduceL2(a)", {Tensor::from<int64_t>({2}, {3 << 24, 4 << 24})}, {18})),
            std::vector<int64_t>{int64_t{5} << 24});  // squares beyond the 24 bits of a float
}

}  // namespace
}  // namespace detent
