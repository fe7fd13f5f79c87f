#include "ops/find_operator.h"
#include "ops/node_runner.h"

namespace detent {
namespace {

using test::run_one;

/// Returns the element of `shape` under the output index, axes aligned at the end.
size_t offset_of(const Shape& shape, const std::vector<int64_t>& index) {
  size_t offset = 0;
  const size_t missing = index.size() - shape.rank();
  for (size_t i = 0; i < shape.rank(); ++i)
    offset = offset * static_cast<size_t>(shape[i]) + static_cast<size_t>(shape[i] == 1 ? 0 : index[i + missing]);
  return offset;
}

template <class F>
std::vector<double> naive_binary(const Tensor& a, const Tensor& b, const Shape& output, F f) {
  std::vector<double> result;
  std::vector<int64_t> index(output.rank(), 0);
  for (int64_t i = 0; i < output.element_count(); ++i) {
    result.push_back(f(a.data<float>()[offset_of(a.shape(), index)], b.data<float>()[offset_of(b.shape(), index)]));
    for (size_t axis = output.rank(); axis-- > 0;) {
      if (++index[axis] < output[axis]) break;
      index[axis] = 0;
    }
  }
  return result;
}

struct Shapes {
  Shape a, b, output;
};

const Shapes kShapes[] = {
    {{2, 3, 4, 5}, {2, 3, 4, 5}, {2, 3, 4, 5}},
    {{2, 3, 4, 5}, {}, {2, 3, 4, 5}},
    {{}, {2, 3, 4, 5}, {2, 3, 4, 5}},
    {{2, 3, 4, 5}, {1}, {2, 3, 4, 5}},
    {{2, 3, 4, 5}, {1, 3, 1, 1}, {2, 3, 4, 5}},
    {{2, 3, 4, 5}, {2, 3, 1, 1}, {2, 3, 4, 5}},
    {{2, 3, 4, 5}, {3, 1, 1}, {2, 3, 4, 5}},
    {{2, 3, 1, 1}, {2, 3, 4, 5}, {2, 3, 4, 5}},
    {{2, 3, 4, 5}, {2, 1, 4, 5}, {2, 3, 4, 5}},
    {{2, 3, 4, 5}, {4, 5}, {2, 3, 4, 5}},
    {{2, 3, 4, 5}, {5}, {2, 3, 4, 5}},
    {{2, 3, 4, 5}, {3, 4, 5}, {2, 3, 4, 5}},
    {{2, 1, 4, 1}, {1, 3, 1, 5}, {2, 3, 4, 5}},
    {{1, 3, 4, 5}, {2, 3, 4, 5}, {2, 3, 4, 5}},
    {{4, 1}, {1, 37}, {4, 37}},
    {{2, 19, 3, 4, 5}, {1, 19, 1, 1, 1}, {2, 19, 3, 4, 5}},
    {{2, 0, 4}, {1, 1, 4}, {2, 0, 4}},
    {{}, {}, {}},
};

TEST(ElementwiseBinary, BroadcastsAsTheNaiveLoopInBothLayouts) {
  for (const Shapes& shapes : kShapes)
    for (const Layout layout : test::kLayouts) {
      const Tensor a = test::ramp(shapes.a), b = test::ramp(shapes.b, 0.5F, 2);
      SCOPED_TRACE(shapes.a.to_string() + " with " + shapes.b.to_string());
      const auto check = [&](const std::string& name, double (*f)(double, double)) {
        SCOPED_TRACE(name);
        // one rounding: half an ulp, 2^-24
        test::expect_close(run_one("y = " + name + "(a, b)", {a, b}, {13, layout}), shapes.output,
                           naive_binary(a, b, shapes.output, f), 0x1p-23, 0);
      };
      check("Add", [](double x, double y) { return x + y; });
      check("Sub", [](double x, double y) { return x - y; });
      check("Mul", [](double x, double y) { return x * y; });
      check("Div", [](double x, double y) { return x / y; });
      check("Min", [](double x, double y) { return std::min(x, y); });
      check("Max", [](double x, double y) { return std::max(x, y); });
    }
}

TEST(ElementwiseBinary, KeepsAMixOfLayouts) {
  const Tensor a = test::ramp({2, 3, 4, 5}), b = test::ramp({2, 3, 4, 5}, 1, 2);
  const auto expected = test::values(run_one("y = Sub(a, b)", {a, b}));
  const Model model = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 13]> g (float a, float b) => (float y) { y = Sub(a, b) }");
  const auto kernel = find_operator("", "Sub", 13)->make({model.graph(), model.graph().node(NodeId{0}), 13});
  Tensor inputs[] = {a.clone(), to_channels_last(b)}, output;
  Workspace workspace;
  KernelCall call(inputs, std::span(&output, 1), {}, Allocator::heap(), workspace);
  kernel->run(call);
  EXPECT_EQ(output.layout(), Layout::ChannelsLast);
  EXPECT_EQ(test::values(to_plain(output)), expected);
}

TEST(ElementwiseBinary, RefusesShapesThatDoNotFit) {
  try {
    run_one("y = Add(a, b)", {test::ramp({2, 3}), test::ramp({2, 4})});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidData);
    EXPECT_THAT(error.what(), testing::HasSubstr("2x4"));
  }
}

TEST(ElementwiseBinary, RefusesMixedTypes) {
  EXPECT_THROW(run_one("y = Add(a, b)", {test::ramp({2}), test::int64s({1, 2})}), Error);
}

TEST(ElementwiseBinary, ComputesIntegersAndWrapsAround) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(test::integers(run_one("y = Add(a, b)", {test::int64s({1, most}), test::int64s({2, 1})})),
              testing::ElementsAre(3, -most - 1));
  EXPECT_THAT(test::integers(run_one("y = Div(a, b)", {test::int64s({-7, -most - 1}), test::int64s({2, -1})})),
              testing::ElementsAre(-3, -most - 1));
  EXPECT_THAT(test::integers(run_one("y = Mul(a, b)", {test::int64s({3, 4}), test::int64s({5})})),
              testing::ElementsAre(15, 20));
  EXPECT_THROW(run_one("y = Div(a, b)", {test::int64s({1}), test::int64s({0})}), Error);
}

TEST(Pow, HasShortWaysThatAgreeWithTheLongOne) {
  const Tensor base = test::ramp({33}, 0.1F, 4);
  for (const float power : {2.0F, 0.5F, 3.0F, -1.5F}) {
    std::vector<double> expected;
    for (const float x : base.data<float>())
      expected.push_back(std::pow(static_cast<double>(x), static_cast<double>(power)));
    // pow is within 1 ulp
    test::expect_close(run_one("y = Pow(a, b)", {base, Tensor::scalar(power)}), {33}, expected, 0x1p-22, 0);
  }
}

TEST(Min, TakesAnyNumberOfInputs) {
  const Tensor a = Tensor::from<float>({2}, {1, 5}), b = Tensor::from<float>({2}, {2, 4}), c = Tensor::scalar(1.5F);
  EXPECT_THAT(test::values(run_one("y = Min(a, b, c)", {a, b, c})), testing::ElementsAre(1, 1.5));
  EXPECT_THAT(test::values(run_one("y = Min(a)", {a})), testing::ElementsAre(1, 5));
  EXPECT_THAT(test::values(run_one("y = Mean(a, b, b)", {a, b, b})), testing::ElementsAre(5.0F / 3, 13.0F / 3));
}

TEST(PRelu, ScalesBelowZeroPerChannelInBothLayouts) {
  const Tensor a = test::ramp({2, 3, 4, 5}), slope = test::ramp({3, 1, 1}, 0.1F, 0.9F);
  const auto expected = naive_binary(a, slope, a.shape(), [](double x, double s) { return x < 0 ? x * s : x; });
  for (const Layout layout : test::kLayouts)
    test::expect_close(run_one("y = PRelu(a, b)", {a, slope}, {13, layout}), a.shape(), expected, 0x1p-23, 0);
}

TEST(Where, PicksByTheCondition) {
  const Tensor condition = Tensor::from<bool>({2, 1}, {true, false});
  const Tensor a = Tensor::from<float>({2}, {1, 2}), b = Tensor::from<float>({2}, {3, 4});
  EXPECT_THAT(test::values(run_one("y = Where(a, b, c)", {condition, a, b})), testing::ElementsAre(1, 2, 3, 4));
}

TEST(Comparison, GivesBooleans) {
  const Tensor a = test::int64s({1, 2, 3});
  EXPECT_THAT(test::integers(run_one("y = Less(a, b)", {a, test::int64s({2})})), testing::ElementsAre(1, 0, 0));
  EXPECT_THAT(test::integers(run_one("y = Equal(a, b)", {a, test::int64s({2})})), testing::ElementsAre(0, 1, 0));
  EXPECT_EQ(run_one("y = Equal(a, b)", {a, a}).type(), DataType::Bool);
}

}  // namespace
}  // namespace detent
