#include "evaluate/certainty.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "run/memory_source.h"

namespace detent {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Four classes by a Softmax of the first four of five numbers, times scale: classes have an extent that no input has.
Model classifier(float scale) {
  return parse_model_text(
      "<ir_version: 7, opset_import: [\"\" : 13]> g (float[N, 5] x) => (float[N, 4] y) <float s = {" +
      std::to_string(scale) +
      "}, float[5, 4] w = {1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1, 0,0,0,0}> "
      "{ z = Mul (x, s) m = MatMul (z, w) y = Softmax (m) }");
}

Tensor one_hot(size_t hot, float height = 1) {
  std::vector<float> numbers(5, 0);
  numbers[hot] = height;
  return Tensor::from<float>({1, 5}, numbers);
}

Certainty certainty_of(const Model& model, std::vector<Tensor> samples) {
  return measure_certainty(model, MemorySource(std::move(samples)), RunSettings{.threads = 2});
}

TEST(Certainty, IsTheInformationOfTheAnswers) {
  const Certainty found = certainty_of(classifier(1), {one_hot(0), one_hot(1), one_hot(2), one_hot(3)});
  ASSERT_EQ(found.of, Certainty::Of::Classes);
  EXPECT_EQ(found.output, "y");
  // Logits of deviation 2: 3.46 and -1.15 three times; exp(4.62) = 101, so p = .971 and three times .0096, mean .25.
  const double p = 101.3 / 104.3, q = 1 / 104.3;
  const double expected = p * std::log(4 * p) + 3 * q * std::log(4 * q);
  ASSERT_EQ(found.by_sample.size(), 4U);
  EXPECT_THAT(found.mean(), DoubleNear(expected, 1e-3));
  EXPECT_THAT(found.dull, IsEmpty());
}

TEST(Certainty, DoesNotGrowWithTheLogits) {
  const std::vector<Tensor> samples{one_hot(0), one_hot(1), one_hot(2)};
  EXPECT_THAT(certainty_of(classifier(8), samples).mean(),
              DoubleNear(certainty_of(classifier(1), samples).mean(), 1e-3));
}

/// Two classes by a Softmax of the first two of five numbers, times scale.
Certainty certainty_of_two(float scale) {
  const Model model = parse_model_text(
      "<ir_version: 7, opset_import: [\"\" : 13]> g (float[N, 5] x) => (float[N, 2] y) <float s = {" +
      std::to_string(scale) +
      "}, float[5, 2] w = {1,0, 0,1, 0,0, 0,0, 0,0}> { z = Mul (x, s) m = MatMul (z, w) y = Softmax (m) }");
  return certainty_of(model, {one_hot(0), one_hot(1), one_hot(0), one_hot(1)});
}

TEST(Certainty, OfTwoClassesIsAtChanceWhereNoAnswerIsSure) {
  const Certainty unsure = certainty_of_two(0.1F);
  ASSERT_EQ(unsure.of, Certainty::Of::Classes);
  EXPECT_TRUE(unsure.two_classes);
  EXPECT_TRUE(unsure.at_chance) << unsure.mean();
  const Certainty sure = certainty_of_two(8);
  EXPECT_FALSE(sure.at_chance);
  EXPECT_THAT(sure.mean(), DoubleNear(std::log(2.0), 0.01));
  EXPECT_FALSE(certainty_of(classifier(1), {one_hot(2), one_hot(2)}).at_chance) << "of more classes nothing is said";
}

TEST(Certainty, IsNoneWhereAllAnswersAreTheSame) {
  const Certainty found = certainty_of(classifier(1), {one_hot(2), one_hot(2), one_hot(2)});
  EXPECT_THAT(found.mean(), DoubleNear(0, 1e-9));
  EXPECT_THAT(found.dull, ElementsAre("y"));
  EXPECT_THAT(certainty_of(classifier(1), {one_hot(2)}).dull, IsEmpty()) << "one sample shows nothing";
}

TEST(Certainty, NamesOutputsThatAreNotFinite) {
  const Certainty found = certainty_of(classifier(1), {one_hot(0), one_hot(1, std::numeric_limits<float>::infinity())});
  EXPECT_THAT(found.broken, ElementsAre("y"));
  EXPECT_EQ(found.of, Certainty::Of::Nothing);
}

TEST(Certainty, IsNotReadFromQuantities) {
  const Model model = parse_model_text(
      "<ir_version: 7, opset_import: [\"\" : 13]> g (float[N, 5] x) => (float[N, 5] y) { y = Tanh (x) }");
  EXPECT_EQ(certainty_of(model, {one_hot(0), one_hot(1)}).of, Certainty::Of::Nothing);
  EXPECT_EQ(measure_certainty(model, MemorySource({}), {}).of, Certainty::Of::Nothing);
}

TEST(CertaintyGain, IsCountedInErrorsOfThePairs) {
  Certainty given{.of = Certainty::Of::Classes, .by_sample = {1, 2, 1, 2}};
  Certainty other{.of = Certainty::Of::Classes, .by_sample = {2, 3, 2, 3.4}};
  const CertaintyGain gain = compare_certainty(given, other);
  EXPECT_THAT(gain.gain, DoubleNear(1.1, 1e-9));
  EXPECT_THAT(gain.share, DoubleNear(1.1 / 1.5, 1e-9));
  // differences 1, 1, 1, 1.4: deviation .2, error .1
  EXPECT_THAT(gain.errors, DoubleNear(11, 1e-6));
  EXPECT_LT(compare_certainty(other, given).errors, 0);
}

TEST(CertaintyGain, NeedsTheSameSamplesAndFourOfThem) {
  const Certainty two{.of = Certainty::Of::Classes, .by_sample = {1, 2}};
  const Certainty surer{.of = Certainty::Of::Classes, .by_sample = {3, 3}};
  EXPECT_EQ(compare_certainty(two, surer).errors, 0);
  EXPECT_EQ(compare_certainty(two, Certainty{.of = Certainty::Of::Classes, .by_sample = {1}}).gain, 0);
  EXPECT_EQ(compare_certainty(two, Certainty{.of = Certainty::Of::Detections, .by_sample = {9, 9}}).gain, 0);
}

}  // namespace
}  // namespace detent
