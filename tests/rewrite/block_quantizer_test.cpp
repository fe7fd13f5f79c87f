#include "rewrite/block_quantizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "detent/base/qparams.h"

namespace detent {
namespace {

Tensor random_matrix(int64_t rows, int64_t columns, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<size_t>(rows * columns));
  for (float& value : values) value = normal(generator);
  return Tensor::from<float>({rows, columns}, values);
}

double blocked_error(const Tensor& weight, const BlockedWeight& blocked, const BlockFormat& format) {
  const Tensor back = dequantize_blocks(blocked, format);
  double sum = 0;
  for (size_t i = 0; i < weight.data<float>().size(); ++i) {
    const double error = static_cast<double>(weight.data<float>()[i]) - static_cast<double>(back.data<float>()[i]);
    sum += error * error;
  }
  return sum;
}

/// Returns the usual scale: the largest weight of the block divided by 7.
BlockedWeight by_largest(const Tensor& weight, const BlockFormat& format) {
  const int64_t rows = weight.shape()[0], columns = weight.shape()[1];
  Tensor scales(DataType::Float32, {(rows + format.block - 1) / format.block, columns});
  for (int64_t b = 0; b * format.block < rows; ++b)
    for (int64_t n = 0; n < columns; ++n) {
      float largest = 0;
      for (int64_t k = b * format.block; k < std::min(rows, (b + 1) * format.block); ++k)
        largest = std::max(largest, std::abs(weight.data<float>()[static_cast<size_t>(k * columns + n)]));
      scales.mutable_data<float>()[static_cast<size_t>(b * columns + n)] = largest / 7;
    }
  return with_scales(weight, format, std::move(scales));
}

TEST(QuantizeBlocks, CodesAreThoseOfQuantizeLinearWithTheScaleOfTheirBlock) {
  const BlockFormat format{.block = 32};
  const Tensor weight = random_matrix(72, 5);  // two blocks and one of 8 rows
  const BlockedWeight blocked = quantize_blocks(weight, format);
  ASSERT_EQ(blocked.scales.shape(), (Shape{3, 5}));
  ASSERT_EQ(blocked.codes.type(), DataType::Int4);
  for (int64_t k = 0; k < 72; ++k)
    for (int64_t n = 0; n < 5; ++n) {
      const auto i = static_cast<size_t>(k * 5 + n);
      const float scale = blocked.scales.data<float>()[static_cast<size_t>(k / 32 * 5 + n)];
      EXPECT_EQ(blocked.codes.data<int8_t>()[i], quantize_element(weight.data<float>()[i], scale, 0, {-8, 7}));
    }
}

TEST(QuantizeBlocks, LoseLessThanTheLargestWeightBySeven) {
  const BlockFormat format{.block = 32};
  const Tensor weight = random_matrix(256, 40);
  const double ours = blocked_error(weight, quantize_blocks(weight, format), format);
  EXPECT_LT(ours, 0.9 * blocked_error(weight, by_largest(weight, format), format));
}

TEST(QuantizeBlocks, ABlockThatFillsTheGridExactlyLosesNothing) {
  std::vector<float> values;
  for (int code = -8; code < 8; ++code) values.push_back(0.25F * static_cast<float>(code));
  const BlockFormat format{.block = 16};
  const Tensor weight = Tensor::from<float>({16, 1}, values);
  EXPECT_EQ(blocked_error(weight, quantize_blocks(weight, format), format), 0);
}

TEST(QuantizeBlocks, AZeroBlockHasScaleOne) {
  const BlockedWeight blocked = quantize_blocks(Tensor::from<float>({2, 1}, {0, 0}), {.block = 16});
  EXPECT_EQ(blocked.scales.data<float>()[0], 1);
  EXPECT_EQ(blocked.codes.data<int8_t>()[1], 0);
}

TEST(QuantizeBlocks, OneScaleAChannelWhereTheBlockIsAllRows) {
  const BlockFormat format{.codes = DataType::Int8, .block = 0};
  const BlockedWeight blocked = quantize_blocks(random_matrix(50, 3), format);
  EXPECT_EQ(blocked.scales.shape(), (Shape{3}));
  EXPECT_EQ(stored_bytes(blocked), 50U * 3 + 3 * 4);
}

TEST(QuantizeBlocks, StoreTwoFourBitCodesAByte) {
  EXPECT_EQ(stored_bytes(quantize_blocks(random_matrix(64, 6), {.block = 32})), 64U * 6 / 2 + 2 * 6 * 4);
}

// The first row counts a thousand times as much: it is kept at the cost of the others.
TEST(QuantizeBlocks, ImportanceSaysWhichRowsMayLose) {
  const BlockFormat format{.block = 16};
  const Tensor weight = random_matrix(16, 20, 3);
  std::vector<float> importance(16, 1.0F);
  importance[0] = 1000;
  const Tensor plain = dequantize_blocks(quantize_blocks(weight, format), format),
               weighted = dequantize_blocks(quantize_blocks(weight, format, importance), format);
  double before = 0, after = 0;
  for (size_t n = 0; n < 20; ++n) {
    before += std::pow(static_cast<double>(plain.data<float>()[n] - weight.data<float>()[n]), 2);
    after += std::pow(static_cast<double>(weighted.data<float>()[n] - weight.data<float>()[n]), 2);
  }
  EXPECT_LT(after, 0.1 * before);
  const std::vector<float> none(16, 0.0F);
  EXPECT_EQ(blocked_error(weight, quantize_blocks(weight, format, none), format),
            blocked_error(weight, quantize_blocks(weight, format), format));
}

TEST(QuantizeBlocks, ScalesOfHalfWeightsAreHalves) {
  const BlockedWeight blocked =
      quantize_blocks(cast(random_matrix(32, 4), DataType::Float16), {.block = 16, .scales = DataType::Float16});
  EXPECT_EQ(blocked.scales.type(), DataType::Float16);
  EXPECT_TRUE(std::isfinite(dequantize_blocks(blocked, {.block = 16}).data<float>()[0]));
}

TEST(QuantizeBlocks, RefuseWeightsThatAreNotFinite) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
    EXPECT_THROW((void)quantize_blocks(Tensor::from<float>({1, 2}, {1, bad}), {}), Error);
}

TEST(QuantizeBlocks, WithoutElementsThereAreNoCodes) {
  const BlockedWeight blocked = quantize_blocks(Tensor(DataType::Float32, {0, 3}), {});
  EXPECT_EQ(blocked.codes.element_count(), 0);
  EXPECT_EQ(blocked.scales.element_count(), 0);
}

TEST(BlockQuantizer, ShortensBlocksThatHaveToDivideTheRows) {
  const auto rows = [](DataType codes, int64_t block, int64_t count) {
    return rows_in_block({.codes = codes, .block = block, .divides = true}, count);
  };
  EXPECT_EQ(rows(DataType::Int4, 32, 64), 32);
  EXPECT_EQ(rows(DataType::Int4, 32, 48), 24);
  EXPECT_EQ(rows(DataType::Int8, 32, 50), 25);
  EXPECT_EQ(rows(DataType::Int4, 32, 50), 10) << "4-bit codes of an even number of rows";
  EXPECT_EQ(rows(DataType::Int8, 32, 37), 37) << "no divisor: one scale a column";
  EXPECT_EQ(rows(DataType::Int8, 32, 6), 6);
  EXPECT_EQ(rows(DataType::Int8, 0, 50), 50);
  EXPECT_EQ(rows_in_block({.block = 32}, 48), 32) << "the last block may be shorter";
}

}  // namespace
}  // namespace detent
