#include "rewrite/table_quantizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "rewrite/weight_quantizer.h"

namespace detent {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

Tensor random_table(int64_t rows, int64_t columns) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  Tensor table(DataType::Float32, Shape{rows, columns});
  auto numbers = table.mutable_data<float>();
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = normal(random) * static_cast<float>(1 + i % 3);
  return table;
}

TEST(ExactCodes, GiveBackMasksBitForBit) {
  const float lowest = std::numeric_limits<float>::lowest();
  for (const float masked : {-10000.0F, -1e9F, lowest, 0.1F}) {
    const Tensor mask = Tensor::from<float>({2, 3}, {0, masked, masked, 0, 0, masked});
    const auto codes = exact_codes(mask);
    ASSERT_TRUE(codes) << masked;
    EXPECT_EQ(codes->codes.type(), DataType::Int8);
    EXPECT_EQ(codes->codes.shape(), mask.shape());
    EXPECT_EQ(codes->scales.shape().rank(), 0U) << "one for all";
    const Tensor back = dequantize_table(*codes);
    EXPECT_TRUE(std::ranges::equal(back.data<float>(), mask.data<float>())) << masked;
  }
}

TEST(ExactCodes, GiveBackMultiplesOfOneNumberUpTo127) {
  EXPECT_TRUE(exact_codes(Tensor::from<float>({4}, {0.25F, -0.5F, 0, 31.75F})));
  EXPECT_FALSE(exact_codes(Tensor::from<float>({4}, {0.25F, -0.5F, 0, 32})));
  EXPECT_FALSE(exact_codes(Tensor::from<float>({2}, {0.25F, 0.3F}))) << "no multiple";
}

TEST(ExactCodes, AreNotThereForWhatCodesCannotSay) {
  EXPECT_FALSE(exact_codes(Tensor::from<float>({2}, {0, -kInf})));
  EXPECT_FALSE(exact_codes(Tensor::from<float>({2}, {0, std::nanf("")})));
  EXPECT_FALSE(exact_codes(Tensor::from<float>({2}, {-0.0F, 1}))) << "codes know one 0";
}

TEST(ExactCodes, OfZerosHaveScaleOne) {
  const auto codes = exact_codes(Tensor::from<float>({2}, {0, 0}));
  ASSERT_TRUE(codes);
  EXPECT_EQ(codes->scales.data<float>()[0], 1);
  EXPECT_TRUE(exact_codes(Tensor(DataType::Float32, {0, 3})));
}

TEST(ExactCodes, HaveTheTypeOfTheTable) {
  const auto codes = exact_codes(cast(Tensor::from<float>({2}, {0, -10000}), DataType::Float16));
  ASSERT_TRUE(codes);
  EXPECT_EQ(codes->scales.type(), DataType::Float16);
}

TEST(ChannelCodes, HaveAScaleForEachIndexOfTheAxis) {
  const Tensor weight = random_table(8, 36).reshaped({8, 4, 3, 3});
  for (const int axis : {0, 1}) {
    const BlockedWeight coded = channel_codes(weight, axis);
    EXPECT_EQ(coded.scales.shape(), Shape{axis == 0 ? 8 : 4});
    const Tensor back = dequantize_channels(coded, axis);
    for (size_t i = 0; i < 288; ++i)
      EXPECT_NEAR(weight.data<float>()[i], back.data<float>()[i], 0.1) << "another axis would be off by a factor";
  }
}

TEST(ChannelCodes, AreNoWorseThanThoseOfTheLargestNumber) {
  const Tensor weight = random_table(16, 64);
  const auto error = [&](const Tensor& back) {
    double sum = 0;
    for (size_t i = 0; i < 16 * 64; ++i) {
      const double off = static_cast<double>(weight.data<float>()[i]) - static_cast<double>(back.data<float>()[i]);
      sum += off * off;
    }
    return sum;
  };
  const QuantizedWeight largest = quantize_weight(weight, 0);
  const Tensor scales = Tensor::from<float>({16}, largest.qparams.scale);
  EXPECT_LT(error(dequantize_channels(channel_codes(weight, 0), 0)),
            error(dequantize_channels({largest.codes, scales}, 0)));
}

TEST(ColumnCodes, LoseHalfAStepOfTheirColumnAtMost) {
  const Tensor table = random_table(64, 3);
  const auto codes = column_codes(table);
  ASSERT_TRUE(codes);
  EXPECT_EQ(codes->codes.shape(), table.shape());
  EXPECT_EQ(codes->scales.shape(), Shape{3});
  const Tensor back = dequantize_table(*codes);
  for (size_t i = 0; i < 64 * 3; ++i) {
    const float number = table.data<float>()[i], scale = codes->scales.data<float>()[i % 3];
    if (std::abs(number) > 127 * scale) continue;  // the best scale may cut the largest
    EXPECT_LE(std::abs(number - back.data<float>()[i]), scale / 2 * 1.0001F) << i;
  }
  const auto all = codes->scales.data<float>();
  EXPECT_GT(all[2], 1.5F * all[0]) << "columns of three times the size have other scales";
}

TEST(ColumnCodes, OfMoreAxesHaveTheScalesOfTheLast) {
  const Tensor table = random_table(64, 3);
  const auto flat = column_codes(table), deep = column_codes(table.reshaped({4, 16, 3}));
  ASSERT_TRUE(flat && deep);
  EXPECT_EQ(deep->codes.shape(), (Shape{4, 16, 3}));
  EXPECT_TRUE(std::ranges::equal(flat->codes.data<int8_t>(), deep->codes.data<int8_t>()));
}

TEST(ColumnCodes, AreNotThereWhereSmallNumbersWouldVanish) {
  Tensor table = random_table(64, 2).clone();
  EXPECT_TRUE(column_codes(table));
  // A bias and a mask in one table: with 10000 a step is 79, and every other number becomes 0.
  for (size_t i = 0; i < 32; ++i) table.mutable_data<float>()[4 * i] = -10000;
  EXPECT_FALSE(column_codes(table));
  EXPECT_FALSE(column_codes(Tensor::from<float>({2, 1}, {1, kInf})));
}

}  // namespace
}  // namespace detent
