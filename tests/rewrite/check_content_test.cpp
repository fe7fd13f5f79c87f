#include "rewrite/check_content.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace detent {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// One number on a grid of scale 0.1, read as `code`.
std::string flaw(float number, int32_t code, DataType type = DataType::Int8, int32_t zero_point = 0) {
  const Tensor original = Tensor::from<float>({1}, {number}), written = cast(Tensor::from<int32_t>({1}, {code}), type),
               scale = Tensor::from<float>({}, {0.1F}), point = cast(Tensor::from<int32_t>({}, {zero_point}), type);
  return content_flaw(original, written, {.scale = &scale, .zero_point = &point, .axis = 0, .has_axis = true});
}

TEST(CheckContent, ACodeStandsForHalfAStepAround) {
  EXPECT_THAT(flaw(0.349F, 3), IsEmpty());
  EXPECT_THAT(flaw(0.251F, 3), IsEmpty());
  EXPECT_THAT(flaw(0.36F, 3), HasSubstr("more than half a step"));
  EXPECT_THAT(flaw(0.24F, 3), HasSubstr("holds 0.3"));
  EXPECT_THAT(flaw(-0.3F, 3), HasSubstr("where the model has -0.3"));
}

TEST(CheckContent, TheLastCodeStandsForWhatIsCutToo) {
  EXPECT_THAT(flaw(20.0F, 127), IsEmpty());  // 12.7 remains of it
  EXPECT_THAT(flaw(-20.0F, -127), IsEmpty());
  EXPECT_THAT(flaw(12.0F, 63), IsEmpty());  // 7 bits
  EXPECT_THAT(flaw(30.0F, 127), HasSubstr("holds 12.7"));
  EXPECT_THAT(flaw(-20.0F, 127), HasSubstr("holds 12.7"));
  EXPECT_THAT(flaw(20.0F, 126), HasSubstr("holds 12.6"));
  EXPECT_THAT(flaw(12.0F, 127), HasSubstr("holds 12.7"));
}

TEST(CheckContent, TheZeroPointCounts) {
  EXPECT_THAT(flaw(-0.3F, 125, DataType::UInt8, 128), IsEmpty());
  EXPECT_THAT(flaw(0.3F, 125, DataType::UInt8, 128), HasSubstr("holds -0.3"));
}

// FP8: 0.1 times a number of float8e4m3fn, whose distance to the next is an eighth of its power of two.
std::string fp8_flaw(float number, float code) {
  const Tensor original = Tensor::from<float>({1}, {number}),
               written = cast(Tensor::from<float>({1}, {code}), DataType::Float8E4M3FN),
               scale = Tensor::from<float>({}, {0.1F}),
               point = cast(Tensor::from<float>({}, {0}), DataType::Float8E4M3FN);
  return content_flaw(original, written, {.scale = &scale, .zero_point = &point, .axis = 0, .has_axis = true});
}

TEST(CheckContent, AnFp8CodeStandsForHalfTheDistanceToTheNext) {
  EXPECT_THAT(fp8_flaw(20.0F, 208.0F), IsEmpty());  // 192, 208, 224: 8 on either side
  EXPECT_THAT(fp8_flaw(21.6F, 208.0F), IsEmpty());
  EXPECT_THAT(fp8_flaw(21.8F, 208.0F), HasSubstr("holds 20.8"));
  EXPECT_THAT(fp8_flaw(0.00011F, 0x1p-9F), IsEmpty());  // the least code, 0.000195
  EXPECT_THAT(fp8_flaw(0.0004F, 0x1p-9F), HasSubstr("where the model has"));
  EXPECT_THAT(fp8_flaw(0.00009F, 0), IsEmpty());
  EXPECT_THAT(fp8_flaw(0.0002F, 0), HasSubstr("holds 0.0"));
  EXPECT_THAT(fp8_flaw(44.8F, 448.0F), IsEmpty());
  EXPECT_THAT(fp8_flaw(60.0F, 448.0F), HasSubstr("holds 44.8"));  // the scale comes from amax: nothing is cut
  EXPECT_THAT(fp8_flaw(-20.8F, 208.0F), HasSubstr("holds 20.8"));
}

TEST(CheckContent, EachChannelHasItsScale) {
  const Tensor original = Tensor::from<float>({2, 2}, {0.1F, 0.2F, 10.0F, 20.0F}),
               codes = cast(Tensor::from<int32_t>({2, 2}, {1, 2, 1, 2}), DataType::Int8),
               scales = Tensor::from<float>({2}, {0.1F, 10.0F}),
               points = cast(Tensor::from<int32_t>({2}, {0, 0}), DataType::Int8);
  EXPECT_THAT(content_flaw(original, codes, {&scales, &points, 0, true}), IsEmpty());
  EXPECT_THAT(content_flaw(original, codes, {&scales, &points, -2, true}), IsEmpty());
  EXPECT_THAT(content_flaw(original, codes, {&scales, &points, 1, true}), HasSubstr("at element 1"));
}

TEST(CheckContent, FloatsAreTheSameBitForBit) {
  const Tensor one = Tensor::from<float>({1}, {1.0F}), next = Tensor::from<float>({1}, {1.0000001F});
  EXPECT_THAT(content_flaw(one, one.clone()), IsEmpty());
  EXPECT_THAT(content_flaw(one, next), HasSubstr("other numbers"));
  EXPECT_THAT(content_flaw(one, cast(one, DataType::Float16)), HasSubstr("other numbers"));
}

TEST(CheckContent, NothingIsWrongWithNoElements) {
  const Tensor none(DataType::Float32, {0}), codes(DataType::Int8, {0}),
      scale = Tensor::from<float>({}, {0.1F}), point = cast(Tensor::from<int32_t>({}, {0}), DataType::Int8);
  EXPECT_THAT(content_flaw(none, codes, {&scale, &point, 0, true}), IsEmpty());
}

}  // namespace
}  // namespace detent
