#include "evaluate/channel_errors.h"

#include <gtest/gtest.h>

#include <cmath>

#include "evaluate/float_network.h"
#include "run/memory_source.h"

namespace detent {
namespace {

/// A float holds 2^-24 of a value: a difference over a thousandth of the largest gives a slope of 1 to about 1e-4, and
/// its square, the weight of errors up to 4, to twice that.
constexpr double kSlopes = 1e-3;

/// a = x * scale + shift for two channels, then the nodes of `behind`.
Model channel_network(const std::string& behind, const std::string& scale, const std::string& shift) {
  return parse_model_text(R"(<ir_version: 8, opset_import: ["" : 14]>
g (float[N, 2, 2] x) => (float[N, 2, 2] y)
<float[2, 1] scale = {)" + scale +
                          "}, float[2, 1] shift = {" + shift + R"(}>
{ m = Mul (x, scale)  a = Add (m, shift) )" +
                          behind + " }");
}

/// Two samples; channel 0 holds -1 1 | -2 2, channel 1 holds 1 3 | -4 4.
MemorySource channel_samples() {
  const auto sample = [](std::vector<float> values) {
    return Tensor::from<float>({1, 2, 2}, std::span<const float>(values));
  };
  return MemorySource({sample({-1, 1, 1, 3}), sample({-2, 2, -4, 4})});
}

std::vector<double> errors(const std::string& behind, const std::string& scale, const std::string& shift) {
  const MemorySource source = channel_samples();
  RunSettings settings;
  const auto found = channel_errors(channel_network(behind, "1, 1", "0, 0"), channel_network(behind, scale, shift),
                                    {"a", 1}, source, settings);
  return found.value_or(std::vector<double>{});
}

TEST(ChannelErrors, AreTheMeanWhereNothingCutsOff) {
  EXPECT_EQ(errors("y = Neg (a)", "1, 1", "-0.5, 0.25"), (std::vector<double>{0.5, -0.25}));
  EXPECT_EQ(errors("y = Neg (a)", "2, 1", "0, 0"), (std::vector<double>{0, 0})) << "channel 0 has the mean 0";
}

TEST(ChannelErrors, LeaveOutWhatReluCutsOff) {
  // Errors of channel 0 are 1 -1 | 2 -2: only 1 and 2 pass the Relu, so -1 and -2 count. Of channel 1: 1 3 and 4 pass.
  const std::vector<double> found = errors("y = Relu (a)", "2, 2", "0, 0");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NEAR(found[0], -1.5, kSlopes);
  EXPECT_NEAR(found[1], -8.0 / 3, kSlopes);
}

TEST(ChannelErrors, WeighByTheSlopeOfASmoothActivation) {
  // x * Sigmoid(x) has the slope s(x) (1 + x (1 - s(x))); of channel 0 at -1, 1, -2 and 2.
  const auto slope = [](double x) {
    const double s = 1 / (1 + std::exp(-x));
    return s * (1 + x * (1 - s));
  };
  double sum = 0, weights = 0;
  for (const double x : {-1.0, 1.0, -2.0, 2.0}) sum -= slope(x) * slope(x) * x, weights += slope(x) * slope(x);
  const std::vector<double> found = errors("s = Sigmoid (a)  y = Mul (a, s)", "2, 1", "0, 0");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NEAR(found[0], sum / weights, kSlopes);
  EXPECT_EQ(found[1], 0);
}

TEST(ChannelErrors, LookBehindAResidualAdd) {
  // The sum with 3 is positive except at -4: errors of channel 1 are those of 1, 3 and 4, halved.
  const std::string behind = "b = Add (x, a)  y = Relu (b)";
  const std::vector<double> found = errors(behind, "1, 0.5", "0, 0");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NEAR(found[1], (0.5 + 1.5 + 2) / 3, kSlopes);
}

TEST(ChannelErrors, CountEverythingWhereSomethingElseReadsTheValue) {
  EXPECT_EQ(errors("r = Relu (a)  y = Sub (r, a)", "1, 1", "-0.5, 0"), (std::vector<double>{0.5, 0}));
}

TEST(ChannelErrors, AreZeroWhereNothingLives) {
  const std::string behind =
      "low = Constant <value_float = 9.0> ()  high = Constant <value_float = 10.0> () "
      "y = Clip (a, low, high)";
  EXPECT_EQ(errors(behind, "1, 1", "-0.5, 0"), (std::vector<double>{0, 0}));
}

TEST(ChannelErrors, AreNoneForCodes) {
  const MemorySource source = channel_samples();
  const Model model = channel_network("c = Cast <to = 6> (a)  y = Cast <to = 1> (c)", "1, 1", "0, 0");
  EXPECT_FALSE(channel_errors(model, model, {"c", 1}, source, {}));
}

}  // namespace
}  // namespace detent
