#include <gtest/gtest.h>

#include <random>

#include "detent/base/calibrator.h"
#include "detent/base/error.h"

namespace detent {
namespace {

/// Samples one by one, as the pass measures them.
struct Measured {
  Histogram histogram;
  std::vector<Extremes> samples;

  void add(const std::vector<float>& sample) { samples.push_back(histogram.add(sample)); }
  [[nodiscard]] Range choose(const char* spec, RangeKind kind = RangeKind::Symmetric) const {
    return make_calibrator(spec)->choose_for({histogram, samples}, kind);
  }
};

/// Sample i of `count` reaches to i + 1, and to -2 (i + 1) in the other direction.
Measured stairs(int count) {
  Measured measured;
  for (int i = 1; i <= count; ++i) measured.add({0.1F, static_cast<float>(i), -2 * static_cast<float>(i)});
  return measured;
}

TEST(SampleMax, TakesTheNearestRank) {
  const Measured forty = stairs(40);  // largest |x|: 2, 4 ... 80
  EXPECT_EQ(forty.choose("samplemax:95").max, 76) << "the 38th of 40";
  EXPECT_EQ(forty.choose("samplemax:95.1").max, 78) << "rounded up";
  EXPECT_EQ(forty.choose("samplemax:50"), (Range{-40, 40}));
  EXPECT_EQ(forty.choose("samplemax:100").max, 80);
  EXPECT_EQ(forty.choose("samplemax:0.1").max, 2) << "never less than a sample";
  EXPECT_EQ(forty.choose("samplemax"), forty.choose("samplemax:95"));
}

TEST(SampleMax, TakesBothEndsSeparatelyWhenAsymmetric) {
  Measured measured = stairs(40);
  EXPECT_EQ(measured.choose("samplemax:95", RangeKind::Asymmetric), (Range{-76, 38}));
  Measured positive;
  for (int i = 1; i <= 40; ++i) positive.add({static_cast<float>(i), 0.5F});
  EXPECT_EQ(positive.choose("samplemax:50", RangeKind::Asymmetric), (Range{0, 20})) << "0 belongs to every range";
}

TEST(SampleMax, IsNotSetByOneSample) {
  Measured plain = stairs(200);
  const Range before = plain.choose("samplemax:95");
  plain.add({1e6F, -1e6F});
  EXPECT_LE(plain.choose("samplemax:95").max, before.max + 2) << "at most one rank further";
  EXPECT_EQ(plain.choose("max").max, 1e6F);
}

TEST(SampleMax, KeepsATailThatEverySampleHas) {
  Measured measured;
  std::vector<float> sample(100000, 0.1F);
  sample[5] = 30;
  for (int i = 0; i < 20; ++i) measured.add(sample);
  EXPECT_EQ(measured.choose("samplemax:95").max, 30);
  EXPECT_LT(measured.choose("percentile:99.99").max, 1);
}

TEST(SampleMax, DoesNotCareAboutTheOrderOfSamples) {
  Measured measured = stairs(50);
  const Range range = measured.choose("samplemax:90", RangeKind::Asymmetric);
  std::shuffle(measured.samples.begin(), measured.samples.end(), std::mt19937(3));
  EXPECT_EQ(measured.choose("samplemax:90", RangeKind::Asymmetric), range);
}

TEST(SampleMax, IsMaxWithFewerThanTwentySamples) {
  EXPECT_EQ(stairs(19).choose("samplemax:50").max, 38);
  EXPECT_EQ(stairs(20).choose("samplemax:50").max, 20);
}

TEST(SampleMax, IsMaxWhereNoSampleIsKnown) {
  const Measured measured = stairs(40);
  EXPECT_EQ(make_calibrator("samplemax:50")->choose(measured.histogram, RangeKind::Symmetric), (Range{-80, 80}));
  EXPECT_EQ(make_calibrator("samplemax:50")->choose(measured.histogram, RangeKind::Asymmetric), (Range{-80, 40}));
}

TEST(SampleMax, LeavesOutSamplesThatSayNothing) {
  Measured measured = stairs(40);
  const Range range = measured.choose("samplemax:50", RangeKind::Asymmetric);
  for (int i = 0; i < 500; ++i) measured.add({0, 0});  // a branch that is hardly ever taken, a dead channel
  for (int i = 0; i < 500; ++i) measured.add({});
  EXPECT_EQ(measured.choose("samplemax:50", RangeKind::Asymmetric), range);
  EXPECT_EQ(measured.choose("samplemax:50").max, 40);
}

TEST(SampleMax, SaysThatItLooksAtSamples) {
  EXPECT_TRUE(make_calibrator("samplemax")->looks_at_samples());
  EXPECT_FALSE(make_calibrator("max")->looks_at_samples());
}

TEST(SampleMax, TakesPercentOfTheSamples) {
  for (const char* spec :
       {"samplemax:0", "samplemax:-1", "samplemax:100.1", "samplemax:nan", "samplemax:95,90", "samplemax:x"})
    EXPECT_THROW((void)make_calibrator(spec), Error) << spec;
  EXPECT_EQ(make_calibrator("samplemax:99.5")->name(), "samplemax:99.5");
  EXPECT_EQ(make_calibrator("samplemax")->name(), "samplemax:95");
}

}  // namespace
}  // namespace detent
