#include "pipeline/parts/norm_distances.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "run/memory_source.h"

namespace detent {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A normalization of one channel that saw the mean 0 and the variance 1.
Model normalizing(const std::string& mean) {
  return parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 15]> g (float[N, 1, 2, 2] x) => (float[N, 1, 2, 2] y)\n"
      "<float[1] s = {1}, float[1] b = {0}, float[1] m = {" +
      mean + "}, float[1] v = {1}> { y = BatchNormalization (x, s, b, m, v) }");
}

Tensor picture(float shift, float scale = 1) {
  return Tensor::from<float>({1, 1, 2, 2}, {shift - scale, shift + scale, shift - scale, shift + scale});
}

std::vector<double> distances(const Model& model, std::vector<Tensor> samples) {
  return norm_distances(model, MemorySource(std::move(samples)), RunSettings{.threads = 2});
}

TEST(NormDistances, AreZeroForTheNumbersOfTheTraining) {
  EXPECT_TRUE(has_norms(normalizing("0")));
  EXPECT_THAT(distances(normalizing("0"), {picture(0), picture(0)}),
              ElementsAre(DoubleNear(0, 1e-6), DoubleNear(0, 1e-6)));
  EXPECT_THAT(distances(normalizing("3"), {picture(3)}), ElementsAre(DoubleNear(0, 1e-6)));
}

TEST(NormDistances, GrowWithTheMeanAndTheScale) {
  // ((v + m^2) - 1 - ln v) / 2: with the mean 2 it is 2, with the deviation 3 it is (9 - 1 - ln 9) / 2.
  EXPECT_THAT(distances(normalizing("0"), {picture(2), picture(0, 3)}),
              ElementsAre(DoubleNear(std::log(3.0), 1e-6), DoubleNear(std::log1p((8 - std::log(9.0)) / 2), 1e-6)));
}

TEST(NormDistances, AreNoneWithoutNormalizations) {
  const Model plain = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 15]> g (float[N, 1, 2, 2] x) => (float[N, 1, 2, 2] y) { y = Relu (x) }");
  EXPECT_FALSE(has_norms(plain));
  EXPECT_THAT(distances(plain, {picture(0)}), IsEmpty());
  EXPECT_THAT(distances(normalizing("0"), {}), IsEmpty());
  const Model flat = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 15]> g (float[N, 2] x) => (float[N, 2] y)\n"
      "<float[2] s = {1, 1}, float[2] b = {0, 0}, float[2] m = {0, 0}, float[2] v = {1, 1}> "
      "{ y = BatchNormalization (x, s, b, m, v) }");
  EXPECT_THAT(distances(flat, {Tensor::from<float>({1, 2}, {1, 2})}), IsEmpty()) << "a channel is one number";
}

}  // namespace
}  // namespace detent
