#include "ops/node_runner.h"

namespace detent {
namespace {

using test::run_one;

TEST(Dropout, InTrainingDropsTheShareItIsTold) {
  Tensor ones(DataType::Float32, {100, 100});
  std::ranges::fill(ones.mutable_data<float>(), 1.0F);
  const Tensor training = Tensor::scalar(true), share = Tensor::scalar(0.2F);
  const auto run = [&](const std::string& attributes, const Tensor& data) {
    return test::run_node("y, y1 = Dropout" + attributes + "(a, b, c)", {data, share, training},
                          {.opset = 13, .outputs = 2});
  };
  const auto y = run("", ones);
  double kept = 0;
  for (size_t i = 0; i < 10000; ++i) {
    const bool mask = y[1].data<bool>()[i];
    ASSERT_EQ(y[0].data<float>()[i], mask ? 1.25F : 0);
    kept += mask;
  }
  EXPECT_NEAR(kept / 10000, 0.8, 5 * std::sqrt(0.8 * 0.2) / 100);  // five standard errors
  EXPECT_EQ(test::values(y[0]), test::values(run("", ones)[0]));
  EXPECT_NE(test::values(y[0]), test::values(run("<seed = 7>", ones)[0]));
  EXPECT_EQ(run("", cast(ones, DataType::Float16))[0].type(), DataType::Float16);
}

TEST(Dropout, PassesTheDataAtARatioOfZeroAndAtInference) {
  const Tensor x = test::ramp({2, 3}), all = Tensor::scalar(0.9F), none = Tensor::scalar(0.0F);
  for (const auto& [ratio, training] : {std::pair{none, true}, std::pair{all, false}}) {
    const auto y =
        test::run_node("y, y1 = Dropout(a, b, c)", {x, ratio, Tensor::scalar(training)}, {.opset = 13, .outputs = 2});
    EXPECT_EQ(test::values(y[0]), test::values(x));
    EXPECT_THAT(test::integers(y[1]), testing::Each(1));
  }
  EXPECT_THROW(run_one("y = Dropout(a, b, c)", {x, Tensor::scalar(1.0F), Tensor::scalar(true)}), Error);
}

}  // namespace
}  // namespace detent
