// Tests entropy on data that holds one number very often, and on ranges that would cost too much.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "calibrators/atoms.h"
#include "calibrators/squared_error.h"
#include "detent/base/calibrator.h"

namespace detent {
namespace {

/// ReLU6 behind a depthwise layer of 96 channels: `dead` of them hold the constant 0.45, the others half a normal
/// distribution cut at 6.
std::vector<float> depthwise_relu6(int dead) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal(0, 2);
  std::vector<float> values;
  for (int channel = 0; channel < 96; ++channel)
    for (int i = 0; i < 4096; ++i) values.push_back(channel < dead ? 0.45F : std::clamp(normal(random), 0.0F, 6.0F));
  return values;
}

Histogram atoms_histogram(const std::vector<float>& values) {
  Histogram histogram;
  histogram.add(values);
  return histogram;
}

float entropy_amax(const std::vector<float>& values) {
  return make_calibrator("entropy")->choose(atoms_histogram(values), RangeKind::Symmetric).max;
}

TEST(EntropyAtoms, ADeadChannelDoesNotSetTheRange) {
  EXPECT_GT(entropy_amax(depthwise_relu6(2)), 5);
  EXPECT_GT(entropy_amax(depthwise_relu6(20)), 5);
}

TEST(EntropyAtoms, WithoutDeadChannelsTheRangeIsTheSame) {
  EXPECT_NEAR(entropy_amax(depthwise_relu6(2)), entropy_amax(depthwise_relu6(0)), 0.1F);
}

TEST(EntropyAtoms, BothEndsOfAnAsymmetricRangeSurviveADeadChannel) {
  std::vector<float> values = depthwise_relu6(2);
  std::mt19937 random(8);
  std::normal_distribution<float> normal(0, 1);
  for (int i = 0; i < 100000; ++i) values.push_back(-std::abs(normal(random)));
  values.insert(values.end(), 8192, -0.3F);
  const Range range = make_calibrator("entropy")->choose(atoms_histogram(values), RangeKind::Asymmetric);
  EXPECT_GT(range.max, 5);
  EXPECT_LT(range.min, -2);
}

TEST(WithoutAtoms, CutsASpikeToFourTimesTheMedianAroundIt) {
  std::vector<double> counts(100, 10.0);
  counts[50] = 5000;
  const std::vector<double> cut = without_atoms(counts);
  EXPECT_EQ(cut[50], 40);
  EXPECT_EQ(std::ranges::count(cut, 10.0), 99);
}

TEST(WithoutAtoms, LeavesSmoothCountsAlone) {
  std::vector<double> counts;
  for (int i = 0; i < 200; ++i) counts.push_back(1000.0 - 5 * i);
  EXPECT_EQ(without_atoms(counts), counts);
}

TEST(WithoutAtoms, LeavesDataOfFewValuesAlone) {
  std::vector<double> counts(1000, 0.0);
  for (size_t i = 0; i < counts.size(); i += 8) counts[i] = 100;
  EXPECT_EQ(without_atoms(counts), counts);
}

TEST(WithoutAtoms, OfNothingIsNothing) { EXPECT_THAT(without_atoms({}), testing::IsEmpty()); }

TEST(EntropyFloor, NoRangeCostsMoreThanSixteenTimesTheBest) {
  // A core and a wide thin tail: the divergence is lowest for the core alone.
  std::mt19937 random(9);
  std::normal_distribution<float> core(0, 0.02F);
  std::uniform_real_distribution<float> tail(0, 8);
  std::vector<float> values(200000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = i % 100 == 0 ? tail(random) : core(random);
  const Histogram histogram = atoms_histogram(values);
  const Range range = make_calibrator("entropy")->choose(histogram, RangeKind::Symmetric);
  const Range best = least_error_range(histogram, RangeKind::Symmetric);
  EXPECT_LE(squared_error(histogram, range, RangeKind::Symmetric),
            16 * squared_error(histogram, best, RangeKind::Symmetric));
  EXPECT_GT(range.max, 1) << "a hundredth of the elements must not be clipped to a hundredth";
  const Range unbounded = make_calibrator("entropy:unbounded")->choose(histogram, RangeKind::Symmetric);
  EXPECT_LT(unbounded.max, 1);
  EXPECT_GT(squared_error(histogram, unbounded, RangeKind::Symmetric),
            16 * squared_error(histogram, best, RangeKind::Symmetric));
}

TEST(SquaredError, OfZerosIsNothing) {
  EXPECT_EQ(squared_error(atoms_histogram({0, 0}), {-1, 1}, RangeKind::Symmetric), 0);
  EXPECT_EQ(squared_error(atoms_histogram({1, 2}), {}, RangeKind::Symmetric), 0);
}

}  // namespace
}  // namespace detent
