#include "ops/clip_bounds.h"

#include <gtest/gtest.h>

#include <limits>

#include "model/model.h"

namespace detent {
namespace {

constexpr float kUnlimited = std::numeric_limits<float>::infinity();

std::optional<ClipBounds> bounds_of(const std::string& body, int opset = 13) {
  const Model model = parse_model_text("<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) +
                                       "]> g (float[4] x, float low) => (float[4] y) { " + body + " }");
  return clip_bounds(model.graph(), model.graph().nodes().back());
}

TEST(ClipBounds, AreAttributesInOldOpsetsAndConstantInputsInNewOnes) {
  for (const auto& bounds : {bounds_of("y = Clip <min = 0.0, max = 6.0> (x)", 6),
                             bounds_of("a = Constant <value = float {0.0}> () b = Constant <value = float {6.0}> () "
                                       "y = Clip (x, a, b)")}) {
    ASSERT_TRUE(bounds);
    EXPECT_EQ(bounds->min, 0.0F);
    EXPECT_EQ(bounds->max, 6.0F);
    EXPECT_EQ(bounds->low(), 0.0F);
    EXPECT_EQ(bounds->high(), 6.0F);
  }
}

TEST(ClipBounds, ALeftOutOneIsInfinite) {
  const auto bounds = bounds_of("b = Constant <value = float {6.0}> () y = Clip (x, , b)");
  ASSERT_TRUE(bounds);
  EXPECT_FALSE(bounds->min);
  EXPECT_EQ(bounds->low(), -kUnlimited);
  EXPECT_EQ(bounds->high(), 6.0F);
}

TEST(ClipBounds, NearlyTheLargestFloatIsInfinite) {
  const auto bounds = bounds_of("y = Clip <min = -3.4e38, max = 3.4e38> (x)", 6);
  ASSERT_TRUE(bounds);
  EXPECT_EQ(bounds->min, -3.4e38F);
  EXPECT_EQ(bounds->low(), -kUnlimited);
  EXPECT_EQ(bounds->high(), kUnlimited);
}

TEST(ClipBounds, AComputedOneIsUnknown) { EXPECT_FALSE(bounds_of("y = Clip (x, low)")); }

}  // namespace
}  // namespace detent
