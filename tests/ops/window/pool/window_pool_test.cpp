// Pools, their inverses and operators that fold, crop and pad.

#include "ops/node_runner.h"

namespace detent {
namespace {

using test::expect_close;
using test::integers;
using test::run_node;
using test::run_one;
using test::values;
using testing::ElementsAre;

TEST(LpPool, EqualsTheNaiveLoop) {
  const Tensor input = test::ramp({1, 2, 5, 6});
  for (const double p : {1.0, 2.0, 3.0}) {
    std::vector<double> expected;
    for (int64_t c = 0; c < 2; ++c)
      for (int64_t oy = 0; oy < 3; ++oy)
        for (int64_t ox = 0; ox < 5; ++ox) {
          double sum = 0;
          for (int64_t ky = 0; ky < 3; ++ky)
            for (int64_t kx = 0; kx < 2; ++kx) {
              const int64_t y = oy * 2 - 1 + ky, x = ox + kx;
              if (y >= 0 && y < 5 && x < 6)
                sum += std::pow(
                    std::abs(static_cast<double>(input.data<float>()[static_cast<size_t>((c * 5 + y) * 6 + x)])), p);
            }
          expected.push_back(std::pow(sum, 1 / p));
        }
    const std::string node = "y = LpPool<kernel_shape = [3, 2], strides = [2, 1], pads = [1, 0, 1, 0], p = " +
                             std::to_string(static_cast<int>(p)) + ">(a)";
    // computed in double: one rounding to float
    expect_close(run_one(node, {input}, {18}), {1, 2, 3, 5}, expected, 1e-6, 0);
  }
  EXPECT_THROW(run_one("y = LpPool(a)", {input}), Error);
}

TEST(GlobalLpPool, IsOneWindowOverEverything) {
  const Tensor y = run_one("y = GlobalLpPool(a)", {Tensor::from<float>({1, 2, 1, 2}, {3, -4, 5, 12})});
  EXPECT_EQ(y.shape(), (Shape{1, 2, 1, 1}));
  EXPECT_THAT(values(y), ElementsAre(5, 13));
  EXPECT_THROW(run_one("y = GlobalLpPool(a)", {test::ramp({2, 3})}), Error);
}

TEST(MaxPool, TakesEveryIntegerType) {
  const Tensor input = Tensor::from<int16_t>({1, 1, 4}, {-300, -7, -9, -400});
  EXPECT_THAT(integers(run_one("y = MaxPool<kernel_shape = [2], strides = [2]>(a)", {input})), ElementsAre(-7, -9));
}

TEST(AveragePool, SkipsBetweenDilatedTaps) {
  const Tensor input = Tensor::from<float>({1, 1, 5}, {1, 2, 3, 4, 50});
  EXPECT_THAT(values(run_one("y = AveragePool<kernel_shape = [2], dilations = [3]>(a)", {input}, {19})),
              ElementsAre(2.5F, 26));
}

/// Expected numbers as ONNX Runtime 1.32 gives them.
TEST(Pools, RoundedUpTakeInputsThatAreSmallerThanTheWindow) {
  const Tensor two = Tensor::from<float>({1, 1, 2}, {3, 5}), square = Tensor::from<float>({1, 1, 2, 2}, {1, 2, 3, 6});
  const std::string line = "<kernel_shape = [3], strides = [2], ceil_mode = 1",
                    plane = "<kernel_shape = [3, 3], strides = [2, 2], ceil_mode = 1";
  EXPECT_THAT(values(run_one("y = MaxPool" + line + ">(a)", {two}, {18})), ElementsAre(5));
  EXPECT_THAT(values(run_one("y = MaxPool" + line + ", auto_pad = \"VALID\">(a)", {two}, {18})), ElementsAre(5));
  EXPECT_THAT(values(run_one("y = AveragePool" + line + ">(a)", {two}, {19})), ElementsAre(4));
  EXPECT_THAT(values(run_one("y = AveragePool" + line + ", count_include_pad = 1>(a)", {two}, {19})), ElementsAre(4));
  EXPECT_THAT(values(run_one("y = LpPool" + line + ", p = 1>(a)", {two}, {18})), ElementsAre(8));
  EXPECT_THAT(values(run_one("y = MaxPool" + plane + ">(a)", {square}, {18})), ElementsAre(6));
  EXPECT_THAT(values(run_one("y = AveragePool" + plane + ">(a)", {square}, {19})), ElementsAre(3));
  const std::string dilated = "y = MaxPool<kernel_shape = [3], strides = [3], dilations = [2], ceil_mode = 1>(a)";
  EXPECT_THAT(values(run_one(dilated, {test::ramp({1, 1, 3})}, {18})), ElementsAre(values(test::ramp({1, 1, 3}))[2]));
  for (const char* short_of_a_stride : {"y = MaxPool<kernel_shape = [4], strides = [2], ceil_mode = 1>(a)",
                                        "y = MaxPool<kernel_shape = [3], strides = [2]>(a)"})
    EXPECT_THROW(run_one(short_of_a_stride, {two}, {18}), Error);
}

TEST(MaxUnpool, UndoesMaxPoolAtItsIndices) {
  const Tensor input = test::ramp({1, 2, 4, 6});
  const auto pooled =
      run_node("y, y1 = MaxPool<kernel_shape = [2, 2], strides = [2, 2]>(a)", {input}, {.opset = 13, .outputs = 2});
  const Tensor back = run_one("y = MaxUnpool<kernel_shape = [2, 2], strides = [2, 2]>(a, b)", {pooled[0], pooled[1]});
  ASSERT_EQ(back.shape(), input.shape());
  std::vector<float> expected(48, 0);
  for (const int64_t i : integers(pooled[1])) expected[static_cast<size_t>(i)] = values(input)[static_cast<size_t>(i)];
  EXPECT_EQ(values(back), expected);
}

TEST(MaxUnpool, RefusesIndicesOutside) {
  const Tensor one = Tensor::from<float>({1, 1, 1}, {1});
  EXPECT_THROW(run_one("y = MaxUnpool<kernel_shape = [2]>(a, b)", {one, Tensor::from<int64_t>({1, 1, 1}, {2})}), Error);
  EXPECT_THROW(run_one("y = MaxUnpool<kernel_shape = [2]>(a, b, c)",
                       {one, Tensor::from<int64_t>({1, 1, 1}, {0}), test::int64s({1, 1, 1})}),
               Error);
}

TEST(Col2Im, AddsUpWhatOverlaps) {
  // every column is 1: each pixel counts the windows that cover it
  Tensor columns(DataType::Float32, {1, 4, 6});
  for (float& x : columns.mutable_data<float>()) x = 1;
  const std::vector<Tensor> inputs{columns, test::int64s({3, 4}), test::int64s({2, 2})};
  EXPECT_THAT(values(run_one("y = Col2Im(a, b, c)", inputs, {18})), ElementsAre(1, 2, 2, 1, 2, 4, 4, 2, 1, 2, 2, 1));
  EXPECT_THROW(run_one("y = Col2Im<strides = [2, 2]>(a, b, c)", inputs, {18}), Error);
}

TEST(CenterCropPad, CropsAndPadsRoundTheMiddle) {
  const Tensor input = Tensor::from<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(values(run_one("y = CenterCropPad(a, b)", {input, test::int64s({1, 6})}, {18})),
              ElementsAre(0, 1, 2, 3, 0, 0));
  EXPECT_THAT(values(run_one("y = CenterCropPad<axes = [-1]>(a, b)", {input, test::int64s({1})}, {18})),
              ElementsAre(2, 5));
  EXPECT_THROW(run_one("y = CenterCropPad<axes = [0]>(a, b)", {input, test::int64s({1, 1})}, {18}), Error);
}

TEST(Reduction, TakesLogSumExpOfInfinitiesAndExtremesOfBooleans) {
  const Tensor lowest = Tensor::from<float>({2}, {-INFINITY, -INFINITY});
  EXPECT_THAT(values(run_one("y = ReduceLogSumExp(a)", {lowest}, {18})), ElementsAre(-INFINITY));
  EXPECT_THAT(values(run_one("y = ReduceLogSumExp(a)", {Tensor::from<float>({2}, {1, INFINITY})}, {18})),
              ElementsAre(INFINITY));
  const Tensor marks = Tensor::from<bool>({2, 2}, {true, false, true, true});
  const Tensor all = run_one("y = ReduceMin<keepdims = 0>(a, b)", {marks, test::int64s({0})}, {20});
  EXPECT_EQ(all.type(), DataType::Bool);
  EXPECT_THAT(integers(all), ElementsAre(1, 0));
}

TEST(Reduction, StillSquaresWhenThereIsNothingToReduce) {
  const Tensor input = Tensor::from<float>({2}, {-3, 4});
  EXPECT_THAT(values(run_one("y = ReduceSumSquare<noop_with_empty_axes = 1>(a)", {input}, {18})), ElementsAre(9, 16));
  EXPECT_THAT(values(run_one("y = ReduceSum<noop_with_empty_axes = 1>(a)", {input}, {18})), ElementsAre(-3, 4));
}

TEST(Reduction, OfNothingIsTheNeutralElement) {
  const auto reduced = [](const std::string& name, DataType type) {
    const Tensor empty(type, {2, 0, 1});
    return test::integers(
        cast(run_one("y = " + name + "<keepdims = 0>(a, b)", {empty, test::int64s({1})}, {18}), DataType::Float32));
  };
  for (const DataType type : {DataType::Float32, DataType::Float64, DataType::Int32}) {
    for (const std::string name : {"ReduceSum", "ReduceL1", "ReduceL2", "ReduceSumSquare"})
      EXPECT_THAT(reduced(name, type), ElementsAre(0, 0)) << name;
    EXPECT_THAT(reduced("ReduceProd", type), ElementsAre(1, 1));
  }
  const std::vector<Tensor> inputs{Tensor(DataType::Float32, {1, 0}), test::int64s({1})};
  for (const std::string name : {"ReduceMax", "ReduceLogSum", "ReduceLogSumExp"})
    EXPECT_THAT(values(run_one("y = " + name + "(a, b)", inputs, {18})), ElementsAre(-INFINITY)) << name;
  EXPECT_THAT(values(run_one("y = ReduceMin(a, b)", inputs, {18})), ElementsAre(INFINITY));
}

TEST(Range, TakesHalves) {
  const auto half = [](float x) { return cast(Tensor::scalar(x), DataType::Float16); };
  const Tensor y = run_one("y = Range(a, b, c)", {half(1), half(3), half(0.5F)});
  EXPECT_EQ(y.type(), DataType::Float16);
  EXPECT_THAT(values(cast(y, DataType::Float32)), ElementsAre(1, 1.5F, 2, 2.5F));
}

}  // namespace
}  // namespace detent
