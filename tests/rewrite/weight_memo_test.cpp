// Tests that cached weights are returned exactly when the result is the same.
#include "rewrite/weight_memo.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace detent {
namespace {

constexpr int kAxis = 0;

/// Returns two channels of largest magnitudes 127 and 12.7: scales 1 and 0.1.
Tensor weight() { return Tensor::from<float>({2, 2}, std::vector<float>{127, -3, 12.7F, 5}); }
/// Returns a weight whose second channel is all zero.
Tensor weight_with_zeros() { return Tensor::from<float>({2, 2}, std::vector<float>{127, -3, 0, 0}); }

WeightOptions bound(std::vector<float> least, std::vector<float> zero = {}) {
  return {.least_scale = std::move(least), .zero_scale = std::move(zero)};
}

/// Checks that the second request gets the result of quantize_weight(). Returns true when it shares the codes of the
/// first.
bool is_shared(const Tensor& tensor, const WeightOptions& first, const WeightOptions& second) {
  WeightMemo memo;
  const QuantizedWeight before = memo.get(ValueId{0}, tensor, kAxis, first);
  const QuantizedWeight got = memo.get(ValueId{0}, tensor, kAxis, second);
  const QuantizedWeight expected = quantize_weight(tensor, kAxis, second);
  EXPECT_EQ(got.qparams.scale, expected.qparams.scale);
  EXPECT_EQ(got.raised, expected.raised);
  EXPECT_TRUE(std::ranges::equal(got.codes.data<int8_t>(), expected.codes.data<int8_t>()));
  return got.codes.raw() == before.codes.raw();
}

TEST(WeightMemo, GivesTheSameOptionsTheSameCodes) {
  EXPECT_TRUE(is_shared(weight(), {}, {}));
  EXPECT_TRUE(is_shared(weight(), bound({2, 0}), bound({2, 0})));
  EXPECT_FALSE(is_shared(weight(), {}, {.bits = 7}));
}

TEST(WeightMemo, SharesWhereNoScaleMeetsItsBound) {
  EXPECT_TRUE(is_shared(weight(), bound({0.5F, 0.01F}), bound({0.75F, 0.05F})));
  EXPECT_TRUE(is_shared(weight(), bound({0.5F, 0.01F}), {}));
  EXPECT_TRUE(is_shared(weight(), {}, bound({1, 0.1F}))) << "a bound that is the scale";
  EXPECT_TRUE(is_shared(weight(), bound({}, {5, 5}), bound({}, {6, 6}))) << "no channel is all zero";
}

TEST(WeightMemo, QuantizesAnewWhereABoundChangesAScale) {
  EXPECT_FALSE(is_shared(weight(), bound({0.5F, 0.01F}), bound({0.5F, 0.2F})));
  EXPECT_FALSE(is_shared(weight(), bound({0.5F, 0.2F}), bound({0.5F, 0.01F}))) << "the known one was raised";
  EXPECT_FALSE(is_shared(weight_with_zeros(), bound({}, {5, 5}), bound({}, {6, 6})));
}

}  // namespace
}  // namespace detent
