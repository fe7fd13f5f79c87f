#include "tune/latency/fastest_choice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tune/latency/latency_ledger.h"

namespace detent {
namespace {

constexpr double kCallNoise = .05, kInfinite = std::numeric_limits<double>::infinity();

constexpr size_t kDefaultFile = 0, kFloatFile = 1, kCastFile = 2, kFirstVariant = 3;

/// The default takes 10 ms and has 30 dB. Each variant is timed once; the model believes its time.
std::vector<TimedFile> files_with(const std::vector<TimedFile>& variants) {
  std::vector<TimedFile> files = {
      {LatencyChoice::Default, {9.9, 10.1}, 30}, {LatencyChoice::Float, {}, kInfinite}, {LatencyChoice::Cast}};
  for (TimedFile variant : variants) {
    variant.belief = mean_of(variant.times) / 10;
    files.push_back(variant);
  }
  return files;
}
TimedFile variant(double ms, double sqnr_db, size_t changes) {
  return {LatencyChoice::Variant, {ms}, sqnr_db, changes};
}
size_t chosen_of(const std::vector<TimedFile>& files) { return choose_fastest(files, kCallNoise).file; }

TEST(FastestChoice, IsTheDefaultWhereNothingIsFasterBeyondTheNoise) {
  std::vector<TimedFile> files = files_with({variant(9.6, 40, 1)});
  files[kFloatFile].times = {10.6};
  const FastestChoice choice = choose_fastest(files, kCallNoise);
  EXPECT_EQ(choice.file, kDefaultFile);
  EXPECT_DOUBLE_EQ(choice.ms, 10);
}

TEST(FastestChoice, IsAVariantThatIsFasterByItsTimesAndByTheModel) {
  std::vector<TimedFile> files = files_with({variant(12, 30, 1), variant(8, 30, 2)});
  const FastestChoice choice = choose_fastest(files, kCallNoise);
  EXPECT_EQ(choice.file, kFirstVariant + 1);
  EXPECT_DOUBLE_EQ(choice.ms, 8);
  files[kFirstVariant + 1].belief = .97;  // all other times say that the call was a lucky one
  EXPECT_EQ(chosen_of(files), kDefaultFile);
}

TEST(FastestChoice, TakesTheMostAccurateOfVariantsWithOneTime) {
  EXPECT_EQ(chosen_of(files_with({variant(8, 30, 1), variant(8.3, 35, 4)})), kFirstVariant + 1);
  EXPECT_EQ(chosen_of(files_with({variant(8, 30, 1), variant(8.5, 35, 4)})), kFirstVariant)
      << "slower beyond the noise";
}

TEST(FastestChoice, TakesTheFewestChangesAmongEquals) {
  EXPECT_EQ(chosen_of(files_with({variant(8, 30.5, 3), variant(8.3, 30, 1)})), kFirstVariant + 1);
  EXPECT_EQ(chosen_of(files_with({variant(8, 31.5, 3), variant(8.3, 30, 1)})), kFirstVariant) << "1 dB less accurate";
}

TEST(FastestChoice, IsTheFloatModelWhereItIsFasterBeyondTheNoise) {
  std::vector<TimedFile> files = files_with({variant(8, 30, 1)});
  files[kFloatFile].times = {7.5};
  EXPECT_EQ(chosen_of(files), kFloatFile);
  files[kFloatFile].times = {8.5};
  EXPECT_EQ(chosen_of(files), kFirstVariant);
}

TEST(FastestChoice, IsTheFloatModelWhereTheDefaultIsSlowerAtAll) {
  std::vector<TimedFile> files = files_with({});
  files[kFloatFile].times = {9.9};
  EXPECT_EQ(chosen_of(files), kFloatFile);
  files[kFloatFile].times = {10};
  EXPECT_EQ(chosen_of(files), kDefaultFile);
}

TEST(FastestChoice, IsTheFloatModelWhereItTakesTheTimeOfAVariantAndIsFasterThanTheDefault) {
  std::vector<TimedFile> files = files_with({variant(8, 30, 1)});
  files[kFloatFile].times = {8.3};
  EXPECT_EQ(chosen_of(files), kFloatFile);
  files[kFirstVariant].sqnr_db = kInfinite;  // as accurate
  EXPECT_EQ(chosen_of(files), kFirstVariant);
}

TEST(FastestChoice, IsTheCastModelByTheSameRule) {
  std::vector<TimedFile> files = files_with({variant(8, 30, 1)});
  files[kCastFile] = {LatencyChoice::Cast, {7.9}, 60};
  EXPECT_EQ(chosen_of(files), kCastFile);
  files[kFloatFile].times = {7.9};
  EXPECT_EQ(chosen_of(files), kFloatFile) << "the cast one is not faster";
}

TEST(FastestChoice, WithoutTimesOfTheDefaultIsTheFasterOfFloatAndCast) {
  std::vector<TimedFile> files = files_with({});
  files.front().times.clear();
  EXPECT_EQ(chosen_of(files), kDefaultFile);
  EXPECT_EQ(choose_fastest(files, kCallNoise).ms, kInfinite);
  files[kFloatFile].times = {10};
  EXPECT_EQ(chosen_of(files), kFloatFile);
  files[kCastFile] = {LatencyChoice::Cast, {5}, 60};
  EXPECT_EQ(chosen_of(files), kCastFile);
  EXPECT_TRUE(std::isnan(mean_of({})));
}

/// A variant with a size.
TimedFile sized(double ms, double sqnr_db, uint64_t bytes) {
  TimedFile file = variant(ms, sqnr_db, 1);
  file.bytes = bytes;
  return file;
}

/// The default of 10 ms, 30 dB and 100 bytes, the float model of 11 ms and 400 bytes, and variants.
std::vector<TimedFile> sized_files(const std::vector<TimedFile>& variants) {
  std::vector<TimedFile> files = files_with(variants);
  files[kDefaultFile].bytes = 100;
  files[kFloatFile].times = {11}, files[kFloatFile].bytes = 400;
  return files;
}

TEST(ChosenFile, IsTheFastestUnlessSomethingElseIsPreferred) {
  const std::vector<TimedFile> files = sized_files({sized(8, 25, 120), sized(10.2, 26, 60), sized(9, 38, 150)});
  EXPECT_EQ(choose_file(files, kCallNoise, LatencyPrefer::Speed).file, kFirstVariant);
  EXPECT_EQ(choose_file(files, kCallNoise, LatencyPrefer::Size).file, kFirstVariant + 1);
  EXPECT_EQ(choose_file(files, kCallNoise, LatencyPrefer::Accuracy).file, kFirstVariant + 2);
}

TEST(ChosenFile, OfTheSmallestOnesIsTheFastestAndNoneIsSlowerThanFloat) {
  const std::vector<TimedFile> files =
      sized_files({sized(20, 30, 50), sized(9.5, 30, 80), sized(9, 30, 80), sized(8, 30, 90)});
  EXPECT_EQ(choose_file(files, kCallNoise, LatencyPrefer::Size).file, kFirstVariant + 2);
}

TEST(ChosenFile, IsTheFloatModelWhereNothingIsFasterAndAccuracyIsPreferred) {
  std::vector<TimedFile> files = sized_files({sized(10.8, 40, 80)});
  files[kDefaultFile].times = {12};
  EXPECT_EQ(choose_file(files, kCallNoise, LatencyPrefer::Accuracy).file, kFloatFile);
}

TEST(Front, HoldsWhatNoOtherFileBeatsTheFastestFirst) {
  const std::vector<TimedFile> files = sized_files({sized(8, 25, 120), sized(9, 25, 130), sized(10.2, 26, 60)});
  // The second variant is slower, larger and no more accurate than the first; the default has 30 dB.
  EXPECT_EQ(front_of(files), (std::vector<size_t>{kFirstVariant, kDefaultFile, kFirstVariant + 2, kFloatFile}));
  EXPECT_EQ(front_of({}), std::vector<size_t>{});
}

}  // namespace
}  // namespace detent
