#include "ops/node_runner.h"

namespace detent {
namespace {

using test::run_node;
using test::values;
using testing::ElementsAre;

const test::NodeOptions kBoth{.opset = 27, .outputs = 2};

TEST(CausalConv, LooksOnlyBack) {
  // weights 1, 10, 100 on the last three inputs, newest last; two zeros in front
  const Tensor x = Tensor::from<float>({1, 1, 4}, {1, 2, 3, 4}), w = Tensor::from<float>({1, 1, 3}, {1, 10, 100});
  const auto y = run_node("y, y1 = CausalConvWithState(a, b)", {x, w}, kBoth);
  EXPECT_THAT(values(y[0]), ElementsAre(100, 210, 321, 432));
  EXPECT_EQ(y[1].shape(), (Shape{1, 1, 2}));
  EXPECT_THAT(values(y[1]), ElementsAre(3, 4));
}

TEST(CausalConv, InPiecesEqualsTheWhole) {
  const Tensor x = test::ramp({2, 3, 7}), w = test::ramp({3, 1, 4}), bias = test::ramp({3});
  const std::string node = "<activation = \"silu\">(a, b, c";
  const auto whole = run_node("y, y1 = CausalConvWithState" + node + ")", {x, w, bias}, kBoth);
  Tensor state(DataType::Float32, {2, 3, 3});
  std::ranges::fill(state.mutable_data<float>(), 0.0F);
  for (int64_t t = 0; t < 7; ++t) {
    Tensor now(DataType::Float32, {2, 3, 1});
    for (int64_t i = 0; i < 6; ++i)
      now.mutable_data<float>()[static_cast<size_t>(i)] = values(x)[static_cast<size_t>(i * 7 + t)];
    const auto y = run_node("y, y1 = CausalConvWithState" + node + ", d)", {now, w, bias, state}, kBoth);
    for (int64_t i = 0; i < 6; ++i)
      EXPECT_FLOAT_EQ(values(y[0])[static_cast<size_t>(i)], values(whole[0])[static_cast<size_t>(i * 7 + t)]);
    state = y[1];
  }
  EXPECT_EQ(values(state), values(whole[1]));
}

TEST(CausalConv, OfOneTapCarriesNothing) {
  const Tensor x = Tensor::from<float>({1, 2, 2}, {1, 2, 3, 4}), w = Tensor::from<float>({2, 1, 1}, {2, -1});
  const auto y =
      run_node("y, y1 = CausalConvWithState(a, b)", {cast(x, DataType::BFloat16), cast(w, DataType::BFloat16)}, kBoth);
  EXPECT_EQ(y[0].type(), DataType::BFloat16);
  EXPECT_THAT(values(cast(y[0], DataType::Float32)), ElementsAre(2, 4, -3, -4));
  EXPECT_EQ(y[1].shape(), (Shape{1, 2, 0}));
}

TEST(CausalConv, RefusesAStateOfAnotherLengthAndUnknownActivations) {
  const Tensor x = test::ramp({1, 1, 4}), w = test::ramp({1, 1, 3});
  EXPECT_THROW(run_node("y, y1 = CausalConvWithState(a, b, , d)", {x, w, {}, test::ramp({1, 1, 3})}, kBoth), Error);
  EXPECT_THROW(run_node("y, y1 = CausalConvWithState<activation = \"relu\">(a, b)", {x, w}, kBoth), Error);
  EXPECT_THROW(run_node("y, y1 = CausalConvWithState(a, b)", {x, test::ramp({2, 1, 3})}, kBoth), Error);
}

}  // namespace
}  // namespace detent
