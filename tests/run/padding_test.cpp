#include "run/padding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detent/base/error.h"
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
  const std::vector<std::string> valid = {"valid"}, scores = {"scores"}, other = {"other"};
  EXPECT_EQ(find_padding_mask(inputs, {}), std::nullopt);
  EXPECT_EQ(find_padding_mask(inputs, valid), 1U);
  EXPECT_THAT(error_of<Error>([&] { static_cast<void>(find_padding_mask(inputs, scores)); }).what(),
              HasSubstr("rank 3"));
  EXPECT_THAT(error_of<Error>([&] { static_cast<void>(find_padding_mask(inputs, other)); }).what(),
              HasSubstr("'valid'"));
}

TEST(PaddingMask, TellsTheContentOfASample) {
  std::vector<Tensor> masks;
  masks.push_back(Tensor::from<int64_t>({1, 3}, {1, 1, 0}));
  masks.push_back(Tensor::from<int64_t>({1, 3}, {0, 0, 0}));
  const auto source = with_content(std::make_unique<MemorySource>(std::move(masks)), 0);
  EXPECT_THAT(source->read(0).content, ElementsAre(1, 1, 0));
  EXPECT_THAT(source->read(1).content, IsEmpty()) << "padding alone says nothing";
}

TEST(CountedElements, AreThoseOfContentPositions) {
  const BatchContent one = {{1, 1, 0}};
  EXPECT_THAT(counted_elements({1, 3, 2}, one), ElementsAre(1, 1, 1, 1, 0, 0));
  EXPECT_THAT(counted_elements({1, 2, 3}, one), ElementsAre(1, 1, 0, 1, 1, 0));
  EXPECT_THAT(counted_elements({3, 2}, one), ElementsAre(1, 1, 1, 1, 0, 0)) << "samples and positions on one axis";
  EXPECT_THAT(counted_elements({2, 3, 1}, one), ElementsAre(1, 1, 0, 1, 1, 0)) << "samples and heads on one axis";
  const BatchContent two = {{}, {0, 1}};
  EXPECT_THAT(counted_elements({2, 2, 1}, two), ElementsAre(1, 1, 0, 1)) << "the first sample has no padding";
  EXPECT_THAT(counted_elements({4, 1}, two), ElementsAre(1, 1, 0, 1));
}

TEST(CountedElements, FollowTheAxisOfTheSamples) {
  using Kind = SampleAxis::Kind;
  const BatchContent two = {{1, 1, 0}, {0, 1, 1}};
  EXPECT_THAT(counted_elements({3, 2, 1}, two, {Kind::Counts, 1, 0}), ElementsAre(1, 0, 1, 1, 0, 1));
  EXPECT_THAT(counted_elements({6, 1}, two, {Kind::Counts, 0, 1}), ElementsAre(1, 0, 1, 1, 0, 1))
      << "[steps * samples, features]";
  EXPECT_THAT(counted_elements({6, 1}, two), ElementsAre(1, 1, 0, 0, 1, 1)) << "[samples * steps, features]";
  EXPECT_THAT(counted_elements({4, 3, 1}, two), ElementsAre(1, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 1))
      << "[samples * heads, steps, features]";
  const BatchContent square = {{1, 0}, {1, 1}};
  EXPECT_THAT(counted_elements({2, 2}, square, {Kind::Counts, 1, 0}), ElementsAre(1, 1, 0, 1));
  EXPECT_THAT(counted_elements({2, 2}, square, {Kind::Independent, 0, 0}), IsEmpty());
  EXPECT_THAT(counted_elements({2, 2}, square, {Kind::Unknown, 0, 0}), IsEmpty());
}

TEST(CountedElements, OfTwoAxesAreLeftOutWhereBothArePadding) {
  const BatchContent one = {{1, 0}};
  EXPECT_THAT(counted_elements({1, 2, 2}, one), ElementsAre(1, 1, 1, 0));
}

TEST(CountedElements, AreAllWhereNothingTellsPositions) {
  const BatchContent one = {{1, 0, 1}};
  EXPECT_THAT(counted_elements({1, 4, 2}, one), IsEmpty());
  EXPECT_THAT(counted_elements({7}, one), IsEmpty());
  EXPECT_THAT(counted_elements({1, 3, 0}, one), IsEmpty());
  EXPECT_THAT(counted_elements({1, 3}, {}), IsEmpty());
}

TEST(FilledPadding, RepeatsTheContentInEveryInputThatCountsPositions) {
  Sample sample{0,
                "a",
                {Tensor::from<int64_t>({1, 4}, {7, 8, 0, 0}), Tensor::from<float>({4, 1, 2}, {1, 2, 3, 4, 0, 0, 0, 0}),
                 Tensor::from<float>({1, 3}, {5, 6, 7})}};
  sample.batch_axes = {0, 1, 0};
  sample.content = {1, 1, 0, 0};
  const Sample filled = with_padding_filled(sample);
  EXPECT_THAT(filled.inputs[0].data<int64_t>(), ElementsAre(7, 8, 7, 8));
  EXPECT_THAT(filled.inputs[1].data<float>(), ElementsAre(1, 2, 3, 4, 1, 2, 3, 4));
  EXPECT_EQ(filled.inputs[2].raw(), sample.inputs[2].raw()) << "no positions";
  EXPECT_THAT(filled.content, ElementsAre(1, 1, 1, 1));
  sample.content = {1, 1, 1, 1};
  EXPECT_EQ(with_padding_filled(sample).inputs[0].raw(), sample.inputs[0].raw()) << "no padding";
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
