#include "ops/elementwise/dequantize_blocks.h"

#include <gtest/gtest.h>

#include "detent/base/error.h"

namespace detent {
namespace {

std::vector<float> dequantized(const Tensor& codes, const Tensor& scales, const Tensor& zeros, size_t axis,
                               int64_t block) {
  Tensor output(DataType::Float32, codes.shape());
  dequantize_blocks(codes, scales, zeros, axis, block, output);
  const auto numbers = output.data<float>();
  return {numbers.begin(), numbers.end()};
}

TEST(DequantizeBlocks, ScaleRowsOfEachColumnAndAShortLastBlock) {
  const Tensor codes = Tensor::from<int8_t>({3, 2}, {1, 2, 3, 4, -5, -128});
  const Tensor scales = Tensor::from<float>({2, 2}, {1, 10, 100, 0.5F});
  EXPECT_EQ(dequantized(codes, scales, {}, 0, 2), (std::vector<float>{1, 20, 3, 40, -500, -64}));
}

TEST(DequantizeBlocks, ScaleColumnsOfEachRow) {
  const Tensor codes = Tensor::from<int8_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor scales = Tensor::from<float>({2, 2}, {1, 10, 100, 1000});
  EXPECT_EQ(dequantized(codes, scales, {}, 1, 2), (std::vector<float>{1, 2, 30, 400, 500, 6000}));
}

TEST(DequantizeBlocks, TakeZeroPointsAwayBeforeScaling) {
  const Tensor codes = Tensor::from<uint8_t>({2, 1}, {0, 255});
  const Tensor scales = Tensor::from<float>({2, 1}, {2, 2}), zeros = Tensor::from<uint8_t>({2, 1}, {128, 255});
  EXPECT_EQ(dequantized(codes, scales, zeros, 0, 1), (std::vector<float>{-256, 0}));
}

TEST(DequantizeBlocks, OfNoCodesAreNothing) {
  EXPECT_TRUE(dequantized(Tensor(DataType::Int8, {0, 3}), Tensor(DataType::Float32, {0, 3}), {}, 0, 16).empty());
}

TEST(DequantizeBlocks, RefuseParametersOfAnotherShape) {
  const Tensor codes = Tensor::from<int8_t>({3, 2}, {1, 2, 3, 4, 5, 6});
  for (const Shape& shape : {Shape{1, 2}, Shape{2, 1}, Shape{4}, Shape{3, 2}})
    EXPECT_THROW(static_cast<void>(dequantized(codes, Tensor(DataType::Float32, shape), {}, 0, 2)), Error)
        << shape.to_string();
  EXPECT_THROW(
      static_cast<void>(dequantized(codes, Tensor(DataType::Float32, {2, 2}), Tensor(DataType::Int8, {2}), 0, 2)),
      Error)
      << "zero points too";
}

}  // namespace
}  // namespace detent
