#include "tune/weights/fit_blocks.h"

#include <gtest/gtest.h>

#include <random>

namespace detent {
namespace {

constexpr int64_t kRows = 64, kColumns = 12;
constexpr BlockFormat kFormat{.block = 16};

/// Inputs with similar neighbours, which can compensate each other's errors.
std::vector<float> correlated_inputs(size_t count) {
  std::mt19937 generator(7);
  std::normal_distribution<float> normal;
  std::vector<float> vectors;
  for (size_t i = 0; i < count; ++i) {
    float common = 0;
    for (int64_t k = 0; k < kRows; ++k) {
      common = 0.9F * common + normal(generator);
      vectors.push_back(common * (k % 8 == 0 ? 4.0F : 1.0F));
    }
  }
  return vectors;
}

Tensor random_weight() {
  std::mt19937 generator(3);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<size_t>(kRows * kColumns));
  for (float& value : values) value = normal(generator);
  return Tensor::from<float>({kRows, kColumns}, values);
}

/// Squared error at the layer's outputs over the inputs.
double output_error(const Tensor& weight, const BlockedWeight& blocked, const std::vector<float>& inputs) {
  const Tensor back = dequantize_blocks(blocked, kFormat);
  double sum = 0;
  for (size_t first = 0; first < inputs.size(); first += static_cast<size_t>(kRows))
    for (int64_t n = 0; n < kColumns; ++n) {
      double error = 0;
      for (int64_t k = 0; k < kRows; ++k) {
        const auto i = static_cast<size_t>(k * kColumns + n);
        error += static_cast<double>(inputs[first + static_cast<size_t>(k)]) *
                 (static_cast<double>(weight.data<float>()[i]) - static_cast<double>(back.data<float>()[i]));
      }
      sum += error * error;
    }
  return sum;
}

TEST(FitBlocks, KeepsTheOutputsBetterThanTheNearestCodes) {
  const std::vector<float> inputs = correlated_inputs(512);
  SecondMoments moments(kRows);
  moments.add(inputs);
  const Tensor weight = random_weight();
  const BlockedWeight nearest = quantize_blocks(weight, kFormat);
  const BlockedWeight fitted = fit_blocks(weight, nearest, kFormat, moments);
  // With correlation 0.9 errors can cancel; chance does not explain half of the error.
  EXPECT_LT(output_error(weight, fitted, inputs), 0.5 * output_error(weight, nearest, inputs));
  for (const float scale : fitted.scales.data<float>()) EXPECT_GT(scale, 0);
}

TEST(FitBlocks, GainsOnInputsThatItHasNotSeen) {
  const std::vector<float> inputs = correlated_inputs(1024);
  const std::vector<float> seen(inputs.begin(), inputs.begin() + 512 * kRows),
      unseen(inputs.begin() + 512 * kRows, inputs.end());
  SecondMoments moments(kRows);
  moments.add(seen);
  const Tensor weight = random_weight();
  const BlockedWeight nearest = quantize_blocks(weight, kFormat);
  EXPECT_LT(output_error(weight, fit_blocks(weight, nearest, kFormat, moments), unseen),
            0.6 * output_error(weight, nearest, unseen));
}

TEST(FitBlocks, WithoutInputsTheNearestCodesStay) {
  const Tensor weight = random_weight();
  const BlockedWeight nearest = quantize_blocks(weight, kFormat);
  const BlockedWeight fitted = fit_blocks(weight, nearest, kFormat, SecondMoments(kRows));
  EXPECT_TRUE(std::ranges::equal(fitted.codes.data<int8_t>(), nearest.codes.data<int8_t>()));
}

TEST(FitBlocks, MomentsThatAreNotFiniteSayNothing) {
  SecondMoments moments(kRows);
  moments.add(std::vector<float>(kRows, std::numeric_limits<float>::infinity()));
  const Tensor weight = random_weight();
  const BlockedWeight nearest = quantize_blocks(weight, kFormat);
  const BlockedWeight fitted = fit_blocks(weight, nearest, kFormat, moments);
  EXPECT_TRUE(std::ranges::equal(fitted.codes.data<int8_t>(), nearest.codes.data<int8_t>()));
}

}  // namespace
}  // namespace detent
