#include "run/padding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detent/error.h"
#include "model/temporary_folder.h"
#include "run/memory_source.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

InputSpec input(const std::string& name, std::vector<int64_t> shape) {
  return {name, DataType::Int64, std::move(shape), 0};
}

TEST(PaddingMask, IsFoundByItsNameAndRank) {
  const std::vector<InputSpec> inputs = {input("input_ids", {-1, 8}), input("attention_mask", {-1, 8})};
  EXPECT_EQ(find_padding_mask(inputs, {}), 1U);
  const std::vector<InputSpec> causal = {input("input_ids", {-1, 8}), input("attention_mask", {-1, 1, 8, 8})};
  EXPECT_EQ(find_padding_mask(causal, {}), std::nullopt);
}

TEST(PaddingMask, IsTheNamedInput) {
  const std::vector<InputSpec> inputs = {input("ids", {-1, 8}), input("valid", {-1, 8}), input("scores", {-1, 8, 8})};
  const std::vector<std::string> valid = {"valid"}, scores = {"scores"}, other = {"other"}, two = {"valid", "ids"};
  EXPECT_EQ(find_padding_mask(inputs, {}), std::nullopt);
  EXPECT_EQ(find_padding_mask(inputs, valid), 1U);
  EXPECT_THAT(error_of<Error>([&] { static_cast<void>(find_padding_mask(inputs, scores)); }).what(),
              HasSubstr("rank 3"));
  EXPECT_THAT(error_of<Error>([&] { static_cast<void>(find_padding_mask(inputs, other)); }).what(),
              HasSubstr("'valid'"));
  EXPECT_EQ(error_of<Error>([&] { static_cast<void>(find_padding_mask(inputs, two)); }).code(), ErrorCode::Usage);
}

TEST(PaddingMask, TellsTheContentOfASample) {
  std::vector<Tensor> masks;
  masks.push_back(Tensor::from<int64_t>({1, 3}, {1, 1, 0}));
  masks.push_back(Tensor::from<int64_t>({1, 3}, {0, 0, 0}));
  const auto source = with_content(std::make_unique<MemorySource>(std::move(masks)), 0);
  EXPECT_THAT(source->read(0).content, ElementsAre(1, 1, 0));
  EXPECT_THAT(source->read(1).content, IsEmpty()) << "nothing but padding says nothing";
}

Tensor zeros(const Shape& shape) {
  return Tensor::from<float>(shape, std::vector<float>(static_cast<size_t>(shape.element_count())));
}

TEST(CountedElements, AreThoseOfContentPositions) {
  const BatchContent one = {{1, 1, 0}};
  EXPECT_THAT(counted_elements(zeros({1, 3, 2}), one), ElementsAre(1, 1, 1, 1, 0, 0));
  EXPECT_THAT(counted_elements(zeros({1, 2, 3}), one), ElementsAre(1, 1, 0, 1, 1, 0));
  EXPECT_THAT(counted_elements(zeros({3, 2}), one), ElementsAre(1, 1, 1, 1, 0, 0))
      << "samples and positions on one axis";
  const BatchContent two = {{}, {0, 1}};
  EXPECT_THAT(counted_elements(zeros({2, 2, 1}), two), ElementsAre(1, 1, 0, 1)) << "the first sample has no padding";
  EXPECT_THAT(counted_elements(zeros({4, 1}), two), ElementsAre(1, 1, 0, 1));
}

TEST(CountedElements, OfTwoAxesAreLeftOutWhereBothArePadding) {
  const BatchContent one = {{1, 0}};
  EXPECT_THAT(counted_elements(zeros({1, 2, 2}), one), ElementsAre(1, 1, 1, 0));
}

TEST(CountedElements, FollowTheOrderOfMemory) {
  const BatchContent one = {{1, 0, 1}};
  // N C positions, in memory N positions C.
  const Tensor value(DataType::Float32, {1, 2, 3}, Allocator::heap(), Layout::ChannelsLast);
  EXPECT_THAT(counted_elements(value, one), ElementsAre(1, 1, 0, 0, 1, 1));
  EXPECT_THAT(counted_row_major(value, one), ElementsAre(1, 0, 1, 1, 0, 1));
}

TEST(CountedElements, AreAllWhereNothingTellsPositions) {
  const BatchContent one = {{1, 0, 1}};
  EXPECT_THAT(counted_elements(zeros({1, 4, 2}), one), IsEmpty());
  EXPECT_THAT(counted_elements(zeros({7}), one), IsEmpty());
  EXPECT_THAT(counted_elements(zeros({1, 3}), {}), IsEmpty());
}

TEST(BatchContent, IsEmptyWithoutPadding) {
  Sample whole{0, "a", {}}, padded{1, "b", {}};
  whole.content = {1, 1};
  padded.content = {1, 0};
  EXPECT_THAT(content_of(std::vector<Sample>{whole}), IsEmpty());
  EXPECT_THAT(content_of(std::vector<Sample>{whole, padded}), ElementsAre(IsEmpty(), ElementsAre(1, 0)));
}

}  // namespace
}  // namespace detent
