#include "ops/node_runner.h"

namespace detent {
namespace {

using test::run_one;

template <class Q>
int64_t quantized(float x, float scale, int64_t zero_point) {
  const double step = std::nearbyint(static_cast<double>(x / scale)) + static_cast<double>(zero_point);
  return static_cast<int64_t>(
      std::min<double>(std::numeric_limits<Q>::max(), std::max<double>(std::numeric_limits<Q>::min(), step)));
}

template <class Q>
void expect_both_ways(Q zero_point) {
  const Tensor input = test::ramp({2, 3, 5, 7}, -50, 50);
  const float scale = 0.037F;
  const Tensor step =
      run_one("y = QuantizeLinear(a, b, c)", {input, Tensor::scalar(scale), Tensor::scalar(zero_point)}, {21});
  std::vector<int64_t> expected;
  for (const float x : input.data<float>()) expected.push_back(quantized<Q>(x, scale, zero_point));
  EXPECT_EQ(test::integers(step), expected);
  const auto back = test::values(
      run_one("y = DequantizeLinear(a, b, c)", {step, Tensor::scalar(scale), Tensor::scalar(zero_point)}, {21}));
  for (size_t i = 0; i < back.size(); ++i)
    ASSERT_EQ(back[i], static_cast<float>(expected[i] - int64_t{zero_point}) * scale);
}

TEST(QuantizeLinear, IsExactForEveryType) {
  expect_both_ways<int8_t>(0);
  expect_both_ways<int8_t>(-128);
  expect_both_ways<uint8_t>(131);
  expect_both_ways<int16_t>(-700);
  expect_both_ways<uint16_t>(40000);
}

TEST(QuantizeLinear, RoundsHalvesToEvenAndSaturates) {
  const Tensor input =
      Tensor::from<float>({8}, {0.5F, 1.5F, 2.5F, -0.5F, -1.5F, 1e9F, -1e9F, std::numeric_limits<float>::infinity()});
  EXPECT_THAT(
      test::integers(run_one("y = QuantizeLinear(a, b, c)", {input, Tensor::scalar(1.0F), Tensor::scalar(int8_t{0})})),
      testing::ElementsAre(0, 2, 2, 0, -2, 127, -128, 127));
}

TEST(QuantizeLinear, GivesUint8WithoutZeroPoint) {
  const Tensor step =
      run_one("y = QuantizeLinear(a, b)", {Tensor::from<float>({3}, {-1, 3, 300}), Tensor::scalar(1.0F)});
  EXPECT_EQ(step.type(), DataType::UInt8);
  EXPECT_THAT(test::integers(step), testing::ElementsAre(0, 3, 255));
}

TEST(QuantizeLinear, TakesOneScaleAChannelInBothLayouts) {
  const Tensor input = test::ramp({2, 3, 5, 7}, -50, 50);
  const Tensor scale = Tensor::from<float>({3}, {0.5F, 0.1F, 0.9F}), zero = Tensor::from<int8_t>({3}, {0, 3, -5});
  for (const Layout layout : test::kLayouts) {
    const Tensor step = run_one("y = QuantizeLinear<axis = 1>(a, b, c)", {input, scale, zero}, {13, layout});
    const auto back =
        test::values(run_one("y = DequantizeLinear<axis = -3>(a, b, c)", {step, scale, zero}, {13, layout}));
    for (size_t i = 0; i < back.size(); ++i) {
      const size_t c = i / 35 % 3;
      const int64_t expected =
          quantized<int8_t>(input.data<float>()[i], scale.data<float>()[c], zero.data<int8_t>()[c]);
      ASSERT_EQ(step.data<int8_t>()[i], expected) << i;
      ASSERT_EQ(back[i], static_cast<float>(expected - zero.data<int8_t>()[c]) * scale.data<float>()[c]);
    }
  }
}

TEST(QuantizeLinear, RefusesScalesThatDoNotFitTheAxis) {
  const Tensor scale = Tensor::from<float>({4}, {1, 1, 1, 1}), zero = Tensor::from<int8_t>({4}, {0, 0, 0, 0});
  EXPECT_THROW(run_one("y = QuantizeLinear<axis = 1>(a, b, c)", {test::ramp({2, 3}), scale, zero}), Error);
}

TEST(QuantizeLinear, TakesHalfScales) {
  const Tensor input = cast(Tensor::from<float>({3}, {-1, 0.5F, 2}), DataType::Float16);
  const Tensor scale = cast(Tensor::scalar(0.25F), DataType::Float16);
  const Tensor step = run_one("y = QuantizeLinear(a, b, c)", {input, scale, Tensor::scalar(int8_t{0})}, {19});
  EXPECT_THAT(test::integers(step), testing::ElementsAre(-4, 2, 8));
  const Tensor back = run_one("y = DequantizeLinear(a, b, c)", {step, scale, Tensor::scalar(int8_t{0})}, {19});
  EXPECT_EQ(back.type(), DataType::Float16);
  EXPECT_THAT(test::values(cast(back, DataType::Float32)), testing::ElementsAre(-1, 0.5, 2));
}

TEST(QuantizeLinear, TakesOneScaleABlock) {
  const Tensor input = Tensor::from<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor scale = Tensor::from<float>({2, 2}, {1, 0.5F, 2, 3}), zero = Tensor::from<int8_t>({2, 2}, {0, 1, 0, 0});
  const Tensor step = run_one("y = QuantizeLinear<axis = 1, block_size = 2>(a, b, c)", {input, scale, zero}, {21});
  EXPECT_THAT(test::integers(step), testing::ElementsAre(1, 2, 7, 2, 2, 2));  // 2.5 -> 2
  const Tensor back = run_one("y = DequantizeLinear<axis = 1, block_size = 2>(a, b, c)", {step, scale, zero}, {21});
  EXPECT_THAT(test::values(back), testing::ElementsAre(1, 2, 3, 4, 4, 6));
}

TEST(DequantizeLinear, ReadsInt32Biases) {
  const Tensor bias = Tensor::from<int32_t>({2}, {-100000, 7}), scale = Tensor::from<float>({2}, {0.5F, 2});
  EXPECT_THAT(test::values(run_one("y = DequantizeLinear<axis = 0>(a, b)", {bias, scale})),
              testing::ElementsAre(-50000, 14));
}

/// 20 is float8e5m2fnuz, 17 float8e4m3fn, 26 int2 in TensorProto.DataType.
TEST(QuantizeLinear, TakesTheNearestValueOfASmallFloat) {
  const Tensor scale = Tensor::scalar(2.0F);
  const Tensor input = Tensor::from<float>({4}, {1.0F, 33.0F, -2000.0F, 0.3F});
  const Tensor codes = run_one("y = QuantizeLinear<output_dtype = 17>(a, b)", {input, scale}, {23});
  ASSERT_EQ(codes.type(), DataType::Float8E4M3FN);
  const Tensor steps = cast(codes, DataType::Float32);  // steps of e4m3 are 1/8 of the power of two below
  EXPECT_EQ(test::values(steps), (std::vector<float>{0.5F, 16.0F, -448.0F, 0.15625F}));
  const Tensor back = run_one("y = DequantizeLinear(a, b)", {codes, scale}, {23});
  EXPECT_EQ(test::values(back), (std::vector<float>{1.0F, 32.0F, -896.0F, 0.3125F}));
  const Tensor lost = run_one("y = QuantizeLinear<output_dtype = 17, saturate = 0>(a, b)", {input, scale}, {23});
  EXPECT_TRUE(std::isnan(test::values(cast(lost, DataType::Float32))[2]));
}

TEST(QuantizeLinear, SaturatesTwoBits) {
  const Tensor input = Tensor::from<float>({5}, {-9, -1.5F, 0.4F, 1, 7});
  const Tensor codes = run_one("y = QuantizeLinear<output_dtype = 26>(a, b)", {input, Tensor::scalar(1.0F)}, {25});
  EXPECT_EQ(codes.type(), DataType::Int2);
  EXPECT_EQ(test::integers(codes), (std::vector<int64_t>{-2, -2, 0, 1, 1}));
}

/// 30.5 / 0.26171875 is 116.54: 116.5 among the numbers of 8 bits of bfloat16, which rounds to even.
TEST(QuantizeLinear, DividesInTheTypeOfTheScaleSinceOpset23) {
  const std::vector<Tensor> inputs = {cast(Tensor::from<float>({1}, {30.5F}), DataType::BFloat16),
                                      cast(Tensor::scalar(0.26171875F), DataType::BFloat16),
                                      Tensor::scalar(uint8_t{0})};
  const auto code = [&](const std::string& attributes, int opset) {
    return test::integers(run_one("y = QuantizeLinear" + attributes + "(a, b, c)", inputs, {opset}))[0];
  };
  EXPECT_EQ(code("", 23), 116);
  EXPECT_EQ(code("<precision = 1>", 23), 117);
  EXPECT_EQ(code("", 21), 117);
}

/// 1.00044 is 1 in half precision, where 2047 / 1.00044 would be 2046.
TEST(QuantizeLinear, RoundsTheScaleToThePrecisionToo) {
  const std::vector<Tensor> inputs = {Tensor::from<float>({1}, {2047}), Tensor::scalar(1.00044F),
                                      Tensor::scalar(int16_t{0})};
  EXPECT_EQ(test::integers(run_one("y = QuantizeLinear<precision = 10>(a, b, c)", inputs, {23}))[0], 2047);
  EXPECT_EQ(test::integers(run_one("y = QuantizeLinear(a, b, c)", inputs, {23}))[0], 2046);
}

/// 2049 / 1 is 2048 in half precision (11 bits, ties to even), 2049 in float.
TEST(QuantizeLinear, DividesInThePrecisionAskedFor) {
  const std::vector<Tensor> inputs = {Tensor::from<float>({1}, {2049}), Tensor::scalar(1.0F),
                                      Tensor::scalar(int16_t{0})};
  EXPECT_EQ(test::integers(run_one("y = QuantizeLinear(a, b, c)", inputs, {23}))[0], 2049);
  EXPECT_EQ(test::integers(run_one("y = QuantizeLinear<precision = 10>(a, b, c)", inputs, {23}))[0], 2048);
}

}  // namespace
}  // namespace detent
