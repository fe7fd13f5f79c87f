#include "ops/elementwise/activation.h"
#include "ops/every_instruction_set.h"
#include "ops/node_runner.h"

namespace detent {
namespace {

using test::run_one;

struct UnaryCase {
  std::string node;
  double (*expected)(double);
  float low = -6, high = 6;
  int opset = 13;
};

double softplus(double x) { return std::log1p(std::exp(x)); }

const UnaryCase kUnaryCases[] = {
    {"Relu(a)", [](double x) { return std::max(x, 0.0); }},
    {"LeakyRelu<alpha = 0.1>(a)", [](double x) { return x < 0 ? 0.1 * x : x; }},
    {"ThresholdedRelu<alpha = 0.7>(a)", [](double x) { return x > 0.7 ? x : 0; }},
    {"Clip<min = -1.0, max = 2.0>(a)", [](double x) { return std::min(2.0, std::max(-1.0, x)); }, -6, 6, 7},
    {"Sigmoid(a)", [](double x) { return 1 / (1 + std::exp(-x)); }, -20, 20},
    {"HardSigmoid<alpha = 0.25, beta = 0.4>(a)", [](double x) { return std::min(1.0, std::max(0.0, 0.25 * x + 0.4)); }},
    {"HardSwish(a)", [](double x) { return x * std::min(1.0, std::max(0.0, x / 6 + 0.5)); }, -6, 6, 14},
    {"Tanh(a)", [](double x) { return std::tanh(x); }},
    {"Elu<alpha = 1.5>(a)", [](double x) { return x > 0 ? x : 1.5 * std::expm1(x); }},
    {"Celu<alpha = 2.0>(a)", [](double x) { return x > 0 ? x : 2 * std::expm1(x / 2); }},
    {"Selu(a)", [](double x) { return 1.05070098 * (x > 0 ? x : 1.67326324 * std::expm1(x)); }},
    {"Softplus(a)", softplus},
    {"Softsign(a)", [](double x) { return x / (1 + std::abs(x)); }},
    {"Mish(a)", [](double x) { return x * std::tanh(softplus(x)); }, -6, 30, 18},
    {"Gelu(a)", [](double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }, -3, 6, 20},
    {"Erf(a)", [](double x) { return std::erf(x); }},
    {"Exp(a)", [](double x) { return std::exp(x); }, -80, 80},
    {"Log(a)", [](double x) { return std::log(x); }, 1e-3F, 100},
    {"Sqrt(a)", [](double x) { return std::sqrt(x); }, 0, 100},
    {"Reciprocal(a)", [](double x) { return 1 / x; }, 0.1F, 10},
    {"Abs(a)", [](double x) { return std::abs(x); }},
    {"Neg(a)", [](double x) { return -x; }},
    {"Floor(a)", [](double x) { return std::floor(x); }},
    {"Ceil(a)", [](double x) { return std::ceil(x); }},
    {"Round(a)", [](double x) { return std::nearbyint(x); }},
    {"Sign(a)", [](double x) { return x > 0   ? 1.0
                                      : x < 0 ? -1.0
                                              : 0.0; }},
    {"Sin(a)", [](double x) { return std::sin(x); }},
    {"Atan(a)", [](double x) { return std::atan(x); }},
};

// A few ulp of the function (2^-23 each), plus an ulp of 1 where 1 + something cancels.
constexpr double kUnaryRelative = 8 * 1.2e-7, kUnaryAbsolute = 2 * 1.2e-7;

TEST(ElementwiseUnary, EqualsTheFormulaInBothLayouts) {
  for (const UnaryCase& item : kUnaryCases)
    for (const Layout layout : test::kLayouts) {
      const Tensor input = test::ramp({2, 3, 5, 7}, item.low, item.high);
      std::vector<double> expected;
      for (const float x : input.data<float>()) expected.push_back(item.expected(x));
      SCOPED_TRACE(item.node);
      test::expect_close(run_one("y = " + item.node, {input}, {item.opset, layout}), {2, 3, 5, 7}, expected,
                         kUnaryRelative, kUnaryAbsolute);
    }
}

TEST(ElementwiseUnary, EqualsTheFormulaOnEveryInstructionSet) {
  test::with_every_instruction_set([] {
    for (const UnaryCase& item : kUnaryCases) {
      const Tensor input = test::ramp({1003}, item.low, item.high);
      std::vector<double> expected;
      for (const float x : input.data<float>()) expected.push_back(item.expected(x));
      SCOPED_TRACE(item.node);
      test::expect_close(run_one("y = " + item.node, {input}, {item.opset}), {1003}, expected, kUnaryRelative,
                         kUnaryAbsolute);
    }
  });
}

TEST(ElementwiseUnary, AnElementDoesNotDependOnItsPlace) {
  for (const UnaryCase& item : kUnaryCases) {
    const Tensor input = test::ramp({67}, item.low, item.high);
    const auto whole = test::values(run_one("y = " + item.node, {input}, {item.opset}));
    for (int64_t i = 0; i < 67; ++i) {
      const auto alone = test::values(run_one("y = " + item.node, {input.slice0(i, i + 1)}, {item.opset}));
      ASSERT_EQ(alone[0], whole[static_cast<size_t>(i)]) << item.node << " at " << i;
    }
  }
}

TEST(ElementwiseUnary, TakesEmptyTensors) {
  for (const UnaryCase& item : kUnaryCases)
    EXPECT_EQ(run_one("y = " + item.node, {Tensor(DataType::Float32, {2, 0, 3})}, {item.opset}).shape(),
              (Shape{2, 0, 3}));
}

TEST(ElementwiseUnary, KeepsNotANumber) {
  test::with_every_instruction_set([] {
    const Tensor input = Tensor::from<float>({3}, {1, std::numeric_limits<float>::quiet_NaN(), 2});
    for (const UnaryCase& item : kUnaryCases) {
      if (item.node.starts_with("ThresholdedRelu")) continue;  // "0 otherwise", says ONNX
      const auto result = test::values(run_one("y = " + item.node, {input}, {item.opset}));
      EXPECT_TRUE(std::isnan(result[1])) << item.node;
      EXPECT_FALSE(std::isnan(result[0]) || std::isnan(result[2])) << item.node;
    }
  });
}

TEST(ElementwiseUnary, ReachesTheLimitsOfInfinity) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Tensor input = Tensor::from<float>({4}, {-infinity, -200, 200, infinity});
  EXPECT_THAT(test::values(run_one("y = Exp(a)", {input})), testing::ElementsAre(0, 0, infinity, infinity));
  EXPECT_THAT(test::values(run_one("y = Tanh(a)", {input})), testing::ElementsAre(-1, -1, 1, 1));
  EXPECT_THAT(test::values(run_one("y = Erf(a)", {input})), testing::ElementsAre(-1, -1, 1, 1));
  const auto sigmoid = test::values(run_one("y = Sigmoid(a)", {input}));
  EXPECT_NEAR(sigmoid[0], 0, 1e-38);  // at most the smallest normal number
  EXPECT_EQ(sigmoid[3], 1);
}

TEST(ElementwiseUnary, ExponentialsKeepTheirPrecisionUpToTheEndsOfTheirRange) {
  const Tensor input = Tensor::from<float>({5}, {88.72F, 88.5F, 0, -86.5F, -86.8F});
  const auto result = test::values(run_one("y = Exp(a)", {input}));
  for (size_t i = 0; i < result.size(); ++i) {
    const double expected = std::exp(static_cast<double>(input.data<float>()[i]));
    EXPECT_NEAR(result[i], expected, kUnaryRelative * expected) << i;
  }
  const float infinity = std::numeric_limits<float>::infinity();
  const Tensor beyond = Tensor::from<float>({3}, {88.73F, -87.5F, -1e9F});
  EXPECT_THAT(test::values(run_one("y = Exp(a)", {beyond})), testing::ElementsAre(infinity, 0, 0));
}

TEST(ElementwiseUnary, BoundedFunctionsStayInTheirBounds) {
  const Tensor input = test::ramp({20000}, -12, 12);
  for (const auto& [node, least] : {std::pair{"y = Erf(a)", -1.0F}, {"y = Tanh(a)", -1.0F}, {"y = Sigmoid(a)", 0.0F}})
    for (const float y : test::values(run_one(node, {input}))) ASSERT_TRUE(y >= least && y <= 1) << node << y;
}

TEST(ElementwiseUnary, ComputesHalfThroughFloat) {
  const Tensor half = cast(Tensor::from<float>({3}, {-1, 0.5, 2}), DataType::Float16);
  const Tensor result = run_one("y = Exp(a)", {half});
  ASSERT_EQ(result.type(), DataType::Float16);
  // half of an ulp of the result: 2^-11
  const Tensor wide = cast(result, DataType::Float32);
  test::expect_close(wide, {3}, {std::exp(-1.0), std::exp(0.5), std::exp(2.0)}, 0x1p-11, 0);
}

TEST(ElementwiseUnary, TakesIntegersWhereOnnxDoes) {
  const Tensor input = Tensor::from<int32_t>({3}, {-5, 0, std::numeric_limits<int32_t>::min()});
  EXPECT_THAT(test::integers(run_one("y = Abs(a)", {input})),
              testing::ElementsAre(5, 0, std::numeric_limits<int32_t>::min()));
  EXPECT_THAT(test::integers(run_one("y = Relu(a)", {input}, {14})), testing::ElementsAre(0, 0, 0));
  EXPECT_THROW(run_one("y = Exp(a)", {input}), Error);
}

TEST(Clip, TakesItsBoundsFromInputs) {
  const Tensor input = Tensor::from<float>({4}, {-7, -1, 1, 7});
  EXPECT_THAT(test::values(run_one("y = Clip(a, b, c)", {input, Tensor::scalar(-2.0F), Tensor::scalar(3.0F)})),
              testing::ElementsAre(-2, -1, 1, 3));
  EXPECT_THAT(test::values(run_one("y = Clip(a, b)", {input, Tensor::scalar(-2.0F)})),
              testing::ElementsAre(-2, -1, 1, 7));
  EXPECT_THAT(test::values(run_one("y = Clip(a, b, c)", {input, Tensor(), Tensor::scalar(0.5F)})),
              testing::ElementsAre(-7, -1, 0.5, 0.5));
  EXPECT_THAT(test::integers(run_one("y = Clip(a, b)", {test::int64s({-3, 3}), Tensor::scalar(int64_t{0})})),
              testing::ElementsAre(0, 3));
}

std::optional<ActivationSpec> activation_in(const std::string& text) {
  const Model model =
      parse_model_text("<ir_version: 8, opset_import: [\"\" : 13]> g (float a, float b) => (float y) { " + text + " }");
  const Graph& graph = model.graph();
  return activation_of(graph, graph.nodes().back());
}

TEST(Activation, KnowsItsParameters) {
  const auto leaky = activation_in("y = LeakyRelu<alpha = 0.25>(a)");
  ASSERT_TRUE(leaky);
  EXPECT_EQ(leaky->kind, OpKind::LeakyRelu);
  EXPECT_EQ(leaky->alpha, 0.25F);
  const auto clip =
      activation_in("low = Constant<value_float = 0.0>() high = Constant<value_float = 6.0>() y = Clip(a, low, high)");
  ASSERT_TRUE(clip);
  EXPECT_EQ(clip->alpha, 0);
  EXPECT_EQ(clip->beta, 6);
}

TEST(Activation, IsNotMadeOfOtherOperatorsOrComputedBounds) {
  EXPECT_FALSE(activation_in("y = Add(a, b)"));
  EXPECT_FALSE(activation_in("y = Exp(a)"));
  EXPECT_FALSE(activation_in("y = Clip(a, b)"));
}

TEST(Activation, AppliesInPlaceWhatTheKernelComputes) {
  for (const std::string node : {"Relu(a)", "Tanh(a)", "Elu<alpha = 0.5>(a)", "HardSigmoid(a)", "LeakyRelu(a)"}) {
    const Tensor input = test::ramp({37});
    std::vector<float> values = test::values(input);
    const auto activation = activation_in("y = " + node);
    ASSERT_TRUE(activation) << node;
    apply_activation(*activation, values);
    EXPECT_EQ(values, test::values(run_one("y = " + node, {input}))) << node;
  }
}

TEST(Activation, TakesABiasAlongInBothLayouts) {
  const ActivationSpec relu{OpKind::Relu};
  for (const Shape& shape : {Shape{2, 19, 30, 31}, Shape{3, 5}, Shape{1, 4, 0}, Shape{2, 7, 1}})
    for (const Layout layout : test::kLayouts) {
      if (layout == Layout::ChannelsLast && shape.rank() < 3) continue;
      const Tensor input = test::ramp(shape), bias = test::ramp({shape[1]}, -1, 1);
      const int64_t space = shape.element_count(2, shape.rank());
      Tensor tensor = layout == Layout::Plain ? input.clone() : to_channels_last(input.clone());
      apply_bias_activation(tensor, bias.data<float>(), &relu);
      const auto result = test::values(to_plain(tensor));
      for (size_t i = 0; i < result.size(); ++i) {
        const size_t c = i / static_cast<size_t>(space) % static_cast<size_t>(shape[1]);
        ASSERT_EQ(result[i], std::max(0.0F, input.data<float>()[i] + bias.data<float>()[c]))
            << shape.to_string() << " at " << i;
      }
      Tensor untouched = input.clone();
      apply_bias_activation(untouched, {}, nullptr);
      ASSERT_EQ(test::values(untouched), test::values(input));
    }
}

TEST(Activation, SiluIsTheProductWithTheSigmoid) {
  std::vector<float> values{-2, 0, 3};
  apply_activation({OpKind::Silu, 1, 0, UnaryFunction::Silu}, values);
  for (const auto& [given, x] : {std::pair{values[0], -2.0}, {values[1], 0.0}, {values[2], 3.0}})
    EXPECT_NEAR(given, x / (1 + std::exp(-x)), 1e-6);
}

}  // namespace
}  // namespace detent
