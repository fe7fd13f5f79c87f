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
  EXPECT_THAT(flaw(20.0F, 127), IsEmpty());  // 12.7 is what remains of it
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
