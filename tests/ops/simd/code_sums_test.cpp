#include "ops/simd/code_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace detent {
namespace {

constexpr CodeRange kInt8{-127, 127}, kInt4{-8, 7};

/// Weights of which some lie beyond the codes, and as many as fill no vector.
std::vector<float> some_weights(size_t count) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal(0, 1);
  std::vector<float> weights(count);
  for (float& weight : weights) weight = normal(random);
  return weights;
}

float code_of(float weight, float scale, CodeRange codes) {
  return std::clamp(std::nearbyint(weight / scale), static_cast<float>(codes.lowest),
                    static_cast<float>(codes.highest));
}

TEST(CodeSums, AreTheSumsOfTheirDefinition) {
  for (const CodeRange codes : {kInt8, kInt4})
    for (const size_t count : {1, 15, 16, 17, 500}) {
      const std::vector<float> weights = some_weights(count);
      const float scale = 2.0F / static_cast<float>(codes.highest);
      double products = 0, squares = 0, error = 0;
      for (const float weight : weights) {
        const float code = code_of(weight, scale, codes);
        const auto apart = static_cast<float>(static_cast<double>(code) * scale - weight);
        products += static_cast<double>(code) * weight;
        squares += static_cast<double>(code) * code;
        error += static_cast<double>(apart) * apart;
      }
      const CodeSums sums = sums_of_codes(weights, scale, codes);
      // A sum of n terms in another order differs by n roundings at most.
      const double tolerance = static_cast<double>(count) * 0x1p-52;
      EXPECT_NEAR(sums.products, products, tolerance * squares);
      EXPECT_EQ(sums.squares, squares);  // of whole numbers
      EXPECT_NEAR(squared_code_error(weights, scale, codes), error, tolerance * error);
    }
}

TEST(CodeSums, RoundHalvesToEven) {
  EXPECT_EQ(sums_of_codes(std::vector<float>{0.5F, 1.5F, -2.5F}, 1, kInt8).squares, 0 + 4 + 4);
  EXPECT_NE(sums_of_codes(std::vector<float>{0.6F}, 1, kInt8).squares, 0);
}

TEST(CodeSums, OfNoWeightsAreZero) {
  EXPECT_EQ(sums_of_codes({}, 1, kInt8).products, 0);
  EXPECT_EQ(squared_code_error({}, 1, kInt8), 0);
}

}  // namespace
}  // namespace detent
