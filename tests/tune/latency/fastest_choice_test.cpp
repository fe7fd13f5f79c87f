#include "tune/latency/fastest_choice.h"

#include <gtest/gtest.h>

#include <cmath>

namespace detent {
namespace {

constexpr double kCallNoise = .05, kInfinite = std::numeric_limits<double>::infinity();

/// The default takes 10 ms and has 30 dB. Each variant is timed once; the model believes its time.
TimedFiles files_with(const std::vector<TimedFile>& variants) {
  TimedFiles files;
  files.usual = {{9.9, 10.1}, 30};
  files.variants = variants;
  files.fastest = variants.size();
  double best = 1;
  for (size_t i = 0; i < variants.size(); ++i) {
    files.variants[i].belief = mean_of(variants[i].times) / 10;
    if (files.variants[i].belief < best) best = files.variants[i].belief, files.fastest = i;
  }
  return files;
}

TEST(FastestChoice, IsTheDefaultWhereNothingIsFasterBeyondTheNoise) {
  TimedFiles files = files_with({{{9.6}, 40, 1}});
  files.float_model.times = {9.6};
  const FastestChoice choice = choose_fastest(files, kCallNoise);
  EXPECT_EQ(choice.file, LatencyChoice::Default);
  EXPECT_DOUBLE_EQ(choice.ms, 10);
}

TEST(FastestChoice, IsAVariantThatIsFasterByItsTimesAndByTheModel) {
  TimedFiles files = files_with({{{12}, 30, 1}, {{8}, 30, 2}});
  FastestChoice choice = choose_fastest(files, kCallNoise);
  EXPECT_EQ(choice.file, LatencyChoice::Variant);
  EXPECT_EQ(choice.variant, 1U);
  EXPECT_DOUBLE_EQ(choice.ms, 8);
  files.variants[1].belief = .97;  // all other times say that the call was a lucky one
  EXPECT_EQ(choose_fastest(files, kCallNoise).file, LatencyChoice::Default);
}

TEST(FastestChoice, TakesTheMostAccurateOfVariantsWithOneTime) {
  EXPECT_EQ(choose_fastest(files_with({{{8}, 30, 1}, {{8.3}, 35, 4}}), kCallNoise).variant, 1U);
  EXPECT_EQ(choose_fastest(files_with({{{8}, 30, 1}, {{8.5}, 35, 4}}), kCallNoise).variant, 0U)
      << "slower beyond the noise";
}

TEST(FastestChoice, TakesTheFewestChangesAmongEquals) {
  EXPECT_EQ(choose_fastest(files_with({{{8}, 30.5, 3}, {{8.3}, 30, 1}}), kCallNoise).variant, 1U);
  EXPECT_EQ(choose_fastest(files_with({{{8}, 31.5, 3}, {{8.3}, 30, 1}}), kCallNoise).variant, 0U)
      << "1 dB less accurate";
}

TEST(FastestChoice, IsTheFloatModelWhereItIsFasterBeyondTheNoise) {
  TimedFiles files = files_with({{{8}, 30, 1}});
  files.float_model.times = {7.5};
  EXPECT_EQ(choose_fastest(files, kCallNoise).file, LatencyChoice::Float);
  files.float_model.times = {8.5};
  EXPECT_EQ(choose_fastest(files, kCallNoise).file, LatencyChoice::Variant);
}

TEST(FastestChoice, IsTheFloatModelWhereItTakesTheTimeOfAVariantAndIsFasterThanTheDefault) {
  TimedFiles files = files_with({{{8}, 30, 1}});
  files.float_model.times = {8.3};
  EXPECT_EQ(choose_fastest(files, kCallNoise).file, LatencyChoice::Float);
  files.variants[0].sqnr_db = kInfinite;  // as accurate
  EXPECT_EQ(choose_fastest(files, kCallNoise).file, LatencyChoice::Variant);
}

TEST(FastestChoice, IsTheCastModelByTheSameRule) {
  TimedFiles files = files_with({{{8}, 30, 1}});
  files.cast = {{7.9}, 60};
  EXPECT_EQ(choose_fastest(files, kCallNoise).file, LatencyChoice::Cast);
  files.float_model.times = {7.9};
  EXPECT_EQ(choose_fastest(files, kCallNoise).file, LatencyChoice::Float) << "the cast one is not faster";
}

TEST(FastestChoice, WithoutTimesOfTheDefaultIsTheFasterOfFloatAndCast) {
  TimedFiles files;
  EXPECT_EQ(choose_fastest(files, kCallNoise).file, LatencyChoice::Default);
  EXPECT_EQ(choose_fastest(files, kCallNoise).ms, kInfinite);
  files.float_model.times = {10};
  EXPECT_EQ(choose_fastest(files, kCallNoise).file, LatencyChoice::Float);
  files.cast = {{5}, 60};
  EXPECT_EQ(choose_fastest(files, kCallNoise).file, LatencyChoice::Cast);
  EXPECT_TRUE(std::isnan(mean_of({})));
}

}  // namespace
}  // namespace detent
