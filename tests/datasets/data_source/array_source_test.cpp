// Tests of arrays in memory, and of floats for an input of integers.

#include <gmock/gmock.h>

#include "datasets/data_files.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::unique_ptr<DataSource> opened(std::vector<Tensor> arrays, const std::vector<InputSpec>& inputs) {
  DataOptions options;
  options.arrays = std::move(arrays);
  EXPECT_TRUE(options.given());
  return open_data(options, inputs);
}

std::string refusal(std::vector<Tensor> arrays, const std::vector<InputSpec>& inputs) {
  return error_of<Error>([&] { static_cast<void>(opened(std::move(arrays), inputs)->read(0)); }).what();
}

Tensor numbers(const Shape& shape) {
  return Tensor::from<float>(shape, counting(static_cast<size_t>(shape.element_count())));
}

InputSpec state(std::vector<int64_t> shape) {
  return {.name = "h", .type = DataType::Float32, .shape = std::move(shape), .batch_axis = 1};
}

TEST(Arrays, AreCutAlongTheBatchAxisOfEachInput) {
  const auto source = opened({numbers({3, 2}), numbers({2, 3, 1})}, {float_input("x", {-1, 2}), state({2, -1, 1})});
  ASSERT_EQ(source->size(), 3U);
  EXPECT_EQ(source->sample_name(1), "sample 2");
  const Sample second = source->read(1);
  EXPECT_THAT(floats_of(second.inputs[0]), ElementsAre(2, 3));
  EXPECT_EQ(second.inputs[1].shape(), (Shape{2, 1, 1}));
  EXPECT_THAT(floats_of(second.inputs[1]), ElementsAre(1, 4));
}

TEST(Arrays, AreHeldAgainstTheModelAsFilesAre) {
  const std::vector<InputSpec> image{float_input("x", {-1, 2, 2})};
  EXPECT_THAT(refusal({numbers({3, 2, 4})}, image), HasSubstr("the model's input 'x' wants ?x2x2"));
  EXPECT_EQ(opened({numbers({2, 2})}, image)->size(), 1U) << "one sample without its batch axis";
  EXPECT_EQ(opened({numbers({3, 2, 2})}, image)->size(), 3U);
  EXPECT_THAT(refusal({numbers({0, 2, 2})}, image), HasSubstr("holds no samples"));
  const std::vector<InputSpec> two{float_input("x", {-1, 2}), float_input("z", {-1, 2})};
  EXPECT_THAT(refusal({numbers({3, 2}), numbers({4, 2})}, two), HasSubstr("'z' holds 4 samples, that for 'x' 3"));
  EXPECT_THAT(refusal({numbers({3, 2})}, two), HasSubstr("1 arrays were given, the model has 2 inputs"));
}

TEST(Arrays, ForAnInputWithoutShapeHoldSamplesOnAxis0) {
  InputSpec bare = float_input("x", {});
  bare.has_shape = false;
  const auto source = opened({numbers({3, 2, 4})}, {bare});
  ASSERT_EQ(source->size(), 3U);
  EXPECT_EQ(source->read(2).inputs[0].shape(), (Shape{1, 2, 4}));
  EXPECT_EQ(opened({numbers({})}, {bare})->read(0).inputs[0].shape(), Shape{});
  DataOptions random;
  random.sources = {"random:normal"};
  EXPECT_THAT(error_of<Error>([&] { static_cast<void>(open_data(random, {{bare}})->read(0)); }).what(),
              HasSubstr("has no declared shape"));
}

TEST(Arrays, AreRefusedWithTheAxesThatLookExchanged) {
  const std::vector<InputSpec> image{float_input("x", {-1, 2, 3})};
  EXPECT_THAT(refusal({numbers({5, 3, 2})}, image), HasSubstr("wants ?x2x3: axes 1 and 2 look exchanged"));
  EXPECT_THAT(refusal({numbers({3, 2})}, image), HasSubstr("axes 1 and 2 look exchanged")) << "one sample";
  EXPECT_THAT(refusal({numbers({5, 3, 4})}, image), testing::Not(HasSubstr("exchanged")));
}

TEST(Arrays, AreLimitedAndShardedAsFilesAre) {
  DataOptions options;
  options.arrays = {numbers({6, 2})};
  options.limit = 4;
  options.shard_index = 2;
  options.shard_count = 2;
  const auto source = open_data(options, std::vector{float_input("x", {-1, 2})});
  ASSERT_EQ(source->size(), 2U);
  EXPECT_EQ(floats_of(source->read(1).inputs[0])[0], 6);
}

class IntegerInput : public ::testing::TestWithParam<DataType> {
 protected:
  [[nodiscard]] static Tensor fed(const std::vector<float>& values) {
    const InputSpec input{.name = "x", .type = GetParam(), .shape = {-1, 4}};
    return opened({Tensor::from<float>({1, 4}, values)}, {input})->read(0).inputs[0];
  }
  static std::string refused(const std::vector<float>& values) {
    return error_of<Error>([&] { static_cast<void>(fed(values)); }).what();
  }
};

INSTANTIATE_TEST_SUITE_P(Types, IntegerInput, ::testing::Values(DataType::UInt8, DataType::Int8, DataType::Int64));

TEST_P(IntegerInput, RefusesFloatsOfWhichTheCastKeepsNothing) {
  EXPECT_THAT(refused({0, 0.5F, 0.75F, 1}), HasSubstr("takes " + std::string(name_of(GetParam()))));
  EXPECT_THAT(refused({0, 0.5F, 0.75F, 1}), HasSubstr("from 0 to 1 do not survive the cast"));
  EXPECT_THAT(refused({0.5F, 0.5F, 0.5F, 0.5F}), HasSubstr("do not survive"));
}

TEST_P(IntegerInput, TakesFloatsThatStayTellable) {
  EXPECT_THAT(floats_of(cast(fed({0, 1, 1, 0}), DataType::Float32)), ElementsAre(0, 1, 1, 0)) << "whole numbers";
  EXPECT_THAT(floats_of(cast(fed({0, 0, 0, 0}), DataType::Float32)), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(floats_of(cast(fed({0.5F, 20, 60, 127.25F}), DataType::Float32)), ElementsAre(0, 20, 60, 127))
      << "fractions of pixels";
}

TEST(IntegersOfFloats, ThatWrapAreRefused) {
  const InputSpec input{.name = "x", .type = DataType::UInt8, .shape = {-1, 4}};
  EXPECT_THAT(refusal({Tensor::from<float>({1, 4}, {-2.1F, -0.5F, 1.5F, 2.5F})}, {input}), HasSubstr("-2.1 to 2.5"));
  const InputSpec wide{.name = "x", .type = DataType::Float32, .shape = {-1, 4}};
  EXPECT_EQ(opened({Tensor::from<float>({1, 4}, {-2.1F, -0.5F, 1.5F, 2.5F})}, {wide})->size(), 1U);
}

TEST(IntegersOfFloats, AreRefusedFromFilesToo) {
  const TemporaryFolder folder;
  folder.write("x.npy", npy_bytes<float>({1, 4}, {0, 0.25F, 0.5F, 1}));
  const InputSpec input{.name = "x", .type = DataType::UInt8, .shape = {-1, 4}};
  const auto source = open_data(data({(folder / "x.npy").string()}), std::vector{input});
  const Error error = error_of<Error>([&] { static_cast<void>(source->read(0)); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidData);
  EXPECT_THAT(error.hint(), HasSubstr("pixels from 0 to 255"));
}

}  // namespace
}  // namespace detent
