#include "tune/refine/noise_model.h"

#include <gtest/gtest.h>

namespace detent {
namespace {

/// Four samples of one output.
RelativeNoise same(double noise) { return RelativeNoise(4, noise); }

TEST(NoiseModel, AddsTheNoiseOfItsPartsToARest) {
  // 0.01 of 0.04 in all is removed: 10 log10(4 / 3).
  const NoiseModel model(same(0.04), {{same(0.01), same(0)}}, 1);
  for (const double gain : model.gains_db(0, 1)) EXPECT_NEAR(gain, 1.2494, 1e-4);
}

TEST(NoiseModel, TakesTheSumWhereThePartsAreMoreThanTheWhole) {
  const NoiseModel model(same(0.01), {{same(0.02), same(0.01)}, {same(0.02), same(0.03)}}, 1);
  EXPECT_NEAR(model.gains_db(0, 1).front(), 1.2494, 1e-4);   // 0.04 -> 0.03
  EXPECT_NEAR(model.gains_db(1, 1).front(), -0.9691, 1e-4);  // 0.04 -> 0.05
}

TEST(NoiseModel, DescendsToTheBestTrialOfEveryUnit) {
  NoiseModel model(same(0.1), {{same(0.02), same(0.01), same(0.005)}, {same(0.02), same(0.03)}}, 1);
  model.descend();
  EXPECT_EQ(model.chosen(0), 2U);
  EXPECT_EQ(model.chosen(1), 0U);
}

TEST(NoiseModel, DoesNotTakeWhatOneSampleAloneGains) {
  // Gains of 3, 0, 0 and 0 dB: 0.75 dB, and a standard error of 0.75.
  const RelativeNoise one_better{0.05, 0.1, 0.1, 0.1}, all_better{0.05, 0.09, 0.09, 0.09};
  NoiseModel lucky(same(0.1), {{same(0.1), one_better}}, 1), better(same(0.1), {{same(0.1), all_better}}, 1);
  lucky.descend();
  better.descend();
  EXPECT_EQ(lucky.chosen(0), 0U);
  EXPECT_EQ(better.chosen(0), 1U);
}

TEST(NoiseModel, JudgesASampleByItsWorstOutput) {
  // Two samples of two outputs. 10 dB at one output gain nothing while the other stays as bad.
  const NoiseModel one({0.1, 0.1, 0.1, 0.1}, {{{0.09, 0, 0.09, 0}, {0, 0, 0, 0}}}, 2);
  EXPECT_EQ(one.gains_db(0, 1), (std::vector<double>{0, 0}));
  // 0.1 and 0.01 become 0.01 and 0.05: from 10 to 13.01 dB.
  const NoiseModel both({0.1, 0.01}, {{{0.09, 0}, {0, 0.04}}}, 2);
  EXPECT_NEAR(both.gains_db(0, 1).front(), 3.0103, 1e-4);
}

TEST(RelativeNoise, HoldsAWeakSampleAgainstTheAverageSignal) {
  const auto errors = [](double signal, double noise, bool is_float) {
    ErrorSums sums;
    sums.signal = signal;
    sums.noise = noise;
    sums.is_float = is_float;
    return sums;
  };
  const BatchErrorSums batches{{errors(3, 1, true), errors(0, 5, false)}, {errors(1, 1, true), errors(0, 5, false)}};
  EXPECT_EQ(relative_noise(batches, batches), (RelativeNoise{1.0 / 3, 0, 1.0 / 2, 0}));
}

}  // namespace
}  // namespace detent
