#include "tests/equalize/networks.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::Key;

/// Two normalizations, each in front of a layer; channel 2 of the first scale is `outlier`, the other scales are 1.
Model two_norms(const std::string& outlier) {
  return network(
      "n = LayerNormalization (x, first)\n a = MatMul (n, w1)\n p = LayerNormalization (a, second)\n y = MatMul (p, "
      "w2)",
      {"float[4] first = {1, 1, " + outlier + ", 1}", "float[4] second = {1, 1, 1, 1}",
       "float[4, 4] w1 = {1, 2, 3, 4, 2, 1, 4, 3, 3, 4, 1, 2, 4, 3, 2, 1}", uneven("w2", {4, 3})},
      "float[1, 64, 4] x", "float[N, S, C] y");
}

TEST(OutlierFactors, OnlyValuesWithChannelsFarAboveTheOthersGetSome) {
  const Equalization equalization = factors_of(two_norms("64"), {.least_imbalance = 8});
  EXPECT_THAT(equalization.values, ElementsAre(Key("n")));
  const std::vector<float>& factors = equalization.values.at("n").factors;
  EXPECT_LT(factors[2] * 4, factors[0]) << "alpha 0.5 takes the root of 64";
}

TEST(OutlierFactors, BelowTheLimitThereAreNone) {
  EXPECT_TRUE(factors_of(two_norms("4"), {.least_imbalance = 8}).empty());
  EXPECT_FALSE(factors_of(two_norms("4")).empty()) << "without a limit every value gets some";
}

}  // namespace
}  // namespace detent
