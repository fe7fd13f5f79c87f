#include "repair/carried_scales.h"

#include <gtest/gtest.h>

namespace detent {
namespace {

QdqNode grid(DataType codes, float scale, int64_t zero_point) {
  QdqNode node;
  node.codes = codes, node.scales = {scale}, node.zero_points = {zero_point};
  return node;
}

TEST(RangeOfAGrid, KeepsScaleAndNumbersWhereTheZeroPointHasAPlace) {
  const Range narrow = range_of(grid(DataType::UInt8, 0.1F, 128), RangeKind::Symmetric);
  EXPECT_EQ(qparams_from_range(narrow, {DataType::Int8}).scale.front(), 0.1F);
  const QParams wide =
      qparams_from_range(range_of(grid(DataType::Int8, 0.1F, -5), RangeKind::Asymmetric), {DataType::UInt8});
  EXPECT_EQ(wide.scale.front(), 0.1F);
  EXPECT_EQ(wide.zero_point.front(), 123);
}

TEST(RangeOfAGrid, CoversTheNumbersOfAnotherZeroPoint) {
  const Range range = range_of(grid(DataType::UInt8, 0.5F, 55), RangeKind::Symmetric);
  EXPECT_EQ(range.max, 100);  // (255 - 55) / 2, further than 55 / 2
  EXPECT_EQ(range.given_scale, 0);
}

TEST(RangeOfAGrid, KeepsTheScaleOfFp8BitForBit) {
  for (const float scale : {0.1F, 0.007F, 1.0F / 3, 0.0123456F}) {
    const Range range = range_of(grid(DataType::Float8E4M3FN, scale, 0), RangeKind::Float8);
    EXPECT_EQ(qparams_from_range(range, {DataType::Float8E4M3FN}).scale.front(), scale);
  }
}

TEST(RangeOfAGrid, CoversInt8NumbersByFp8AndBack) {
  const Range wide = range_of(grid(DataType::Int8, 0.5F, 0), RangeKind::Float8);
  EXPECT_EQ(wide.max, 64);  // -128 * 0.5
  EXPECT_EQ(wide.given_scale, 0);
  const Range narrow = range_of(grid(DataType::Float8E4M3FN, 0.5F, 0), RangeKind::Symmetric);
  EXPECT_EQ(narrow.max, 224);  // 448 * 0.5
  EXPECT_EQ(narrow.given_scale, 0);
}

QdqNode clipped(QdqNode grid, int32_t lowest, int32_t highest) {
  grid.clipped = CodeRange{lowest, highest};
  return grid;
}

TEST(RangeOfAGrid, IsThatOfTheCodesWhichAClipLeaves) {
  const QdqNode reduced = clipped(grid(DataType::UInt8, 0.5F, 64), 0, 127);  // PyTorch's reduce_range
  const Range asymmetric = range_of(reduced, RangeKind::Asymmetric),
              symmetric = range_of(reduced, RangeKind::Symmetric);
  EXPECT_EQ(asymmetric.min, -32);
  EXPECT_EQ(asymmetric.max, 31.5F);
  EXPECT_EQ(asymmetric.given_scale, 0);
  EXPECT_EQ(symmetric.max, 32);
  EXPECT_EQ(symmetric.given_scale, 0);
  const Range four_bits = range_of(clipped(grid(DataType::Int8, 0.5F, 0), -8, 7), RangeKind::Symmetric);
  EXPECT_EQ(four_bits.max, 4);
  EXPECT_EQ(four_bits.given_scale, 0);
  const Range wide = range_of(clipped(grid(DataType::Int16, 0.5F, 0), -2048, 2047), RangeKind::Asymmetric16);
  EXPECT_EQ(wide.min, -1024);
  EXPECT_EQ(wide.max, 1023.5F);
}

TEST(RangeOfAGrid, KeepsTheScaleWhereAClipLeavesTheLargestSymmetricCode) {
  const QdqNode narrow = clipped(grid(DataType::Int8, 0.1F, 0), -127, 127);
  for (const RangeKind kind : {RangeKind::Symmetric, RangeKind::Asymmetric})
    EXPECT_EQ(range_of(narrow, kind).given_scale, 0.1F);
  const QdqNode from_zero = clipped(grid(DataType::Int8, 0.1F, 0), 0, 127);
  EXPECT_EQ(range_of(from_zero, RangeKind::Symmetric).given_scale, 0.1F);
  EXPECT_EQ(range_of(from_zero, RangeKind::Asymmetric).min, 0);
}

TEST(RangeOfAGrid, KeepsWideCodesOfTheSameKind) {
  const Range same = range_of(grid(DataType::UInt16, 0.1F, 40000), RangeKind::Asymmetric16);
  const QParams kept = qparams_from_range(same, {DataType::UInt16});
  EXPECT_EQ(kept.scale.front(), 0.1F);
  EXPECT_EQ(kept.zero_point.front(), 40000);
}

TEST(RangeOfAGrid, CoversTheNumbersOfWideCodesIn8Bits) {
  const Range narrow = range_of(grid(DataType::UInt16, 0.5F, 10000), RangeKind::Asymmetric);
  EXPECT_EQ(narrow.min, -5000);
  EXPECT_EQ(narrow.max, (65535 - 10000) / 2.0F);
  EXPECT_EQ(narrow.given_scale, 0);
  EXPECT_EQ(range_of(grid(DataType::Int16, 0.5F, 0), RangeKind::Symmetric), (Range{-32767 / 2.0F, 32767 / 2.0F}));
}

}  // namespace
}  // namespace detent
