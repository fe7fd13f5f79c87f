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

}  // namespace
}  // namespace detent
