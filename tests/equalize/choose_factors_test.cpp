#include <numeric>

#include "tests/equalize/networks.h"

namespace detent {
namespace {

/// Returns a network with two channels of magnitude 1 and 16 (from ranges given by hand) and weights of magnitude 1 and
/// 4.
Model two_channels(const std::string& reader = "y = Conv (r, w2)") {
  return network("c = Conv (x, w1)\n r = Relu (c)\n" + reader,
                 {"float[2, 4, 1, 1] w1 = {1, 1, 1, 1, 16, 16, 16, 16}", "float[1, 2, 1, 1] w2 = {1, 4}",
                  "float[2, 1, 1, 1] d2 = {1, 4}"});
}

/// Returns the factors of r; empty when nothing is equalized.
std::vector<float> factors(const Model& model, const std::vector<float>& amax, const FactorOptions& options) {
  const auto groups = groups_of(model);
  ChannelRanges ranges;
  for (const auto& [value, axis] : values_to_range(groups)) ranges[value] = {std::vector<float>(amax.size()), amax};
  const Equalization equalization = choose_factors(model.graph(), groups, ranges, options);
  return equalization.empty() ? std::vector<float>{} : equalization.values.at("r").factors;
}

TEST(ChooseFactors, AreTheRootOfWeightOverActivationWithGeometricMeanOne) {
  // sqrt(1/4 / (1/16)) = 2 and sqrt(1 / 1) = 1, divided by their geometric mean sqrt(2).
  const std::vector<float> got = factors(two_channels(), {1, 16}, {.alpha = 0.5});
  EXPECT_NEAR(got[0], std::sqrt(2.0F), 1e-6);
  EXPECT_NEAR(got[1], 1 / std::sqrt(2.0F), 1e-6);
}

TEST(ChooseFactors, OfAlphaOneMakeAllChannelsAlike) {
  const std::vector<float> got = factors(two_channels(), {1, 16}, {.alpha = 1});
  EXPECT_NEAR(got[0] * 1, got[1] * 16, 1e-5);
}

TEST(ChooseFactors, BeforeADepthwiseReaderTheWeightsDoNotCount) {
  const std::vector<float> got = factors(two_channels("y = Conv <group = 2> (r, d2)"), {1, 16}, {.alpha = 0.5});
  EXPECT_NEAR(got[0] * 1, got[1] * 16, 1e-5);
}

TEST(ChooseFactors, WithOneScaleAWeightTheRowsThatWriteCountToo) {
  // Nagel et al., equation 11: the ranges of both weights of a channel become equal. Here 1 and 16 write, 1 and 4 read.
  const std::vector<float> got = factors(two_channels(), {1, 1}, {.alpha = 0, .per_tensor_weights = true});
  EXPECT_NEAR(1 * got[0] / (1 / got[0]), 16 * got[1] / (4 / got[1]), 1e-4);
}

TEST(ChooseFactors, PowersOfTwoChangeNoBit) {
  const Model model = two_channels();
  const Equalization equalization = factors_of(model, {.alpha = 1, .powers_of_two = true});
  for (const float factor : equalization.values.at("r").factors)
    EXPECT_EQ(std::exp2(std::round(std::log2(factor))), factor);
  Model equalized = model.clone();
  apply_patch(equalized, make_equalize_patch(equalized.graph(), equalization));
  EXPECT_EQ(output_change(model, equalized), 0);
}

TEST(ChooseFactors, AreBoundedAndLeaveDeadChannelsAlone) {
  EXPECT_TRUE(factors(two_channels(), {1e-5F, 1e5F}, {.alpha = 1}).empty())
      << "below a millionth of the largest a channel holds nothing, and the other one is alone";
  const std::vector<float> bounded = factors(two_channels("y = Conv <group = 2> (r, d2)"), {1e-3F, 1e2F}, {.alpha = 1});
  EXPECT_FLOAT_EQ(bounded[0], static_cast<float>(kMostFactor));
  EXPECT_FLOAT_EQ(bounded[1], static_cast<float>(1 / kMostFactor));
}

TEST(Imbalance, IsTheLargestOverTheMedian) {
  const ChannelRange range{{-8, 0, -1, 0}, {1, 2, 1, 0}};
  EXPECT_EQ(imbalance(range), 4) << "8 over the middle of 1, 2, 8";
  EXPECT_EQ(imbalance(range, {0.25F, 1, 2, 1}), 1);
}

}  // namespace
}  // namespace detent
