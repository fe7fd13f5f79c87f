#include "calibrate/outlier_samples.h"

#include <gtest/gtest.h>

namespace detent {
namespace {

/// Ten samples and forty values whose largest |x| is 1 to 1.45, each sample the largest of four of them.
class OutlierSamples : public testing::Test {
 protected:
  OutlierSamples() {
    for (size_t sample = 0; sample < kSamples; ++sample) names_.push_back("image " + std::to_string(sample));
    for (size_t value = 0; value < kValues; ++value) {
      auto& samples = values_.emplace_back();
      for (size_t sample = 0; sample < kSamples; ++sample) {
        const float reach = 1 + 0.05F * static_cast<float>((sample + value) % kSamples);
        samples.push_back(value % 2 ? Extremes{-reach, 0.5F} : Extremes{-0.5F, reach});
      }
    }
  }
  /// Makes a sample reach `times` as far in the first `count` values.
  void plant(size_t sample, float times, size_t count) {
    for (size_t value = 0; value < count; ++value) values_[value][sample] = {-times, times};
  }
  [[nodiscard]] OutlierReport found() const {
    const std::vector<std::span<const Extremes>> views(values_.begin(), values_.end());
    return find_outlier_samples(names_, views);
  }

  static constexpr size_t kSamples = 10, kValues = 40;
  std::vector<std::string> names_;
  std::vector<std::vector<Extremes>> values_;
};

TEST_F(OutlierSamples, AreNamedWithTheirValuesAndTheirDistanceFromTheMedian) {
  plant(6, 107, 25);
  const OutlierReport report = found();
  ASSERT_EQ(report.samples.size(), 1U);
  EXPECT_EQ(report.samples[0].sample, "image 6");
  EXPECT_EQ(report.samples[0].values, 25U);
  EXPECT_EQ(report.values, kValues);
  // The median of the ten, the fifth, lies between 1.15 and 1.25.
  EXPECT_GE(report.samples[0].ratio, 107 / 1.25);
  EXPECT_LE(report.samples[0].ratio, 107 / 1.15);
}

TEST_F(OutlierSamples, AreNoneWhereEverySampleIsTheLargestSometimes) { EXPECT_TRUE(found().samples.empty()); }

TEST_F(OutlierSamples, AreNotThoseWithATailInFewValues) {
  plant(6, 107, 3);
  EXPECT_TRUE(found().samples.empty()) << "3 of 40 are less than 10 %";
  plant(6, 107, 4);
  EXPECT_EQ(found().samples.size(), 1U);
  values_.resize(2);
  EXPECT_TRUE(found().samples.empty()) << "2 of 2 are fewer than 3";
}

TEST_F(OutlierSamples, AtTheEndsOfRangesComeFurthestFirst) {
  const auto extremes = [&](size_t most) {
    Calibration calibration;
    calibration.sample_names = names_;
    for (size_t value = 0; value < kValues; ++value) calibration.extremes[ValueId(value)] = values_[value];
    return samples_of_extremes(calibration, most);
  };
  EXPECT_TRUE(extremes(8).empty()) << "no sample reaches a tenth beyond the next";
  plant(6, 8, 1);
  plant(2, 4, 12);
  values_[20][9].min = -1.5F;  // at one end alone
  EXPECT_EQ(extremes(8), (std::vector<std::string>{"image 2", "image 6", "image 9"}));
  EXPECT_EQ(extremes(1), std::vector<std::string>{"image 2"});
}

TEST_F(OutlierSamples, AreNotThoseThatAnotherComesNear) {
  plant(6, 107, 25);
  plant(2, 75, 25);
  EXPECT_TRUE(found().samples.empty()) << "without either the other would set the range";
  plant(2, 71, 25);
  EXPECT_EQ(found().samples.size(), 1U);
}

TEST_F(OutlierSamples, AreNotToldFromFewerThanEight) {
  plant(6, 107, 25);
  names_.resize(7);
  for (auto& samples : values_) samples.resize(7);
  EXPECT_TRUE(found().samples.empty());
}

TEST_F(OutlierSamples, ComeInTheOrderOfTheirValues) {
  plant(6, 107, 25);
  plant(3, 900, 15);
  const OutlierReport report = found();
  ASSERT_EQ(report.samples.size(), 2U);
  EXPECT_EQ(report.samples[0].sample, "image 3");
  EXPECT_EQ(report.samples[1].values, 10U);
}

TEST_F(OutlierSamples, AreTheFirstOfAListOfAllSamples) {
  plant(6, 107, 25);
  const OutlierReport report = found();
  ASSERT_EQ(report.all.size(), kSamples);
  EXPECT_EQ(report.all[0].sample, "image 6");
  EXPECT_EQ(report.all[0].values, 25U);
  size_t largest = 0, alone = 0;
  for (const auto& sample : report.all) largest += sample.largest, alone += sample.values;
  EXPECT_EQ(largest, kValues) << "every value has one sample that is the largest";
  EXPECT_EQ(alone, 25U) << "of the other values none stands out";
  // Of the 15 values left image 6 is the largest of each tenth.
  EXPECT_GE(report.all[0].largest, 26U);
  EXPECT_LE(report.all[0].largest, 27U);
}

TEST_F(OutlierSamples, OfTooFewAreNotListedAtAll) {
  names_.resize(7);
  for (auto& samples : values_) samples.resize(7);
  EXPECT_TRUE(found().all.empty());
  EXPECT_EQ(found().values, kValues);
}

TEST_F(OutlierSamples, IgnoreValuesThatAreZeroOrWereNeverComputed) {
  for (auto& samples : values_) samples.assign(kSamples, Extremes{});
  values_[0].assign(kSamples, Extremes{0, 0});
  EXPECT_TRUE(found().samples.empty());
}

}  // namespace
}  // namespace detent
