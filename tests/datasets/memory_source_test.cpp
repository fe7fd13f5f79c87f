// Tests of samples that a caller of the library reads.

#include <gmock/gmock.h>

#include "datasets/data_files.h"

namespace detent {
namespace {

using ::testing::HasSubstr;

std::vector<Tensor> sample(float value) { return {Tensor::from<float>({1, 2}, {value, value})}; }

DataOptions own(std::shared_ptr<const DataSource> source) {
  DataOptions options;
  options.own = std::move(source);
  return options;
}

const std::vector<InputSpec> kOneInput{float_input("x", {1, 2})};

TEST(SamplesInMemory, AreReadInTheirOrderWithoutACopy) {
  const std::vector<std::vector<Tensor>> tensors{sample(1), sample(2), sample(3)};
  const auto source = open_data(own(samples_in_memory(tensors)), kOneInput);
  ASSERT_EQ(source->size(), 3U);
  EXPECT_EQ(source->sample_name(1), "sample 2");
  EXPECT_EQ(source->read(1).inputs[0].raw(), tensors[1][0].raw());
}

TEST(SamplesInMemory, AreLimitedAndShardedAsFilesAre) {
  DataOptions options = own(samples_in_memory({sample(1), sample(2), sample(3), sample(4)}));
  options.limit = 3;
  options.shard_index = 2;
  options.shard_count = 2;
  const auto source = open_data(options, kOneInput);
  ASSERT_EQ(source->size(), 1U);
  EXPECT_EQ(floats_of(source->read(0).inputs[0])[0], 2);
}

TEST(SamplesInMemory, HaveOneNumberOfTensorsWhichIsTheModels) {
  EXPECT_THAT(error_of<Error>([] {
                (void)samples_in_memory({sample(1), {}});
              }).what(),
              HasSubstr("sample 2 holds 0 tensors, sample 1 1"));
  const auto source = open_data(own(samples_in_memory({{}})), kOneInput);
  EXPECT_THAT(error_of<Error>([&] { (void)source->read(0); }).what(),
              HasSubstr("holds 0 tensors, the model has 1 inputs"));
}

TEST(SamplesFrom, AreMadeWhenTheyAreWantedAndPassOnWhatIsThrown) {
  std::vector<size_t> asked;
  const auto source = open_data(own(samples_from(3,
                                                 [&](size_t i) {
                                                   asked.push_back(i);
                                                   if (i == 2) throw std::out_of_range("the camera is off");
                                                   return sample(static_cast<float>(i));
                                                 })),
                                kOneInput);
  EXPECT_TRUE(asked.empty());
  EXPECT_EQ(floats_of(source->read(1).inputs[0])[0], 1);
  EXPECT_THAT(asked, ::testing::ElementsAre(1U));
  EXPECT_THROW((void)source->read(2), std::out_of_range);
}

TEST(DataOptions, AreGivenWithSourcesOrSamplesOnly) {
  EXPECT_FALSE(DataOptions{}.given());
  EXPECT_TRUE(data({"folder"}).given());
  EXPECT_TRUE(own(samples_in_memory({sample(1)})).given());
}

}  // namespace
}  // namespace detent
