// A model of which no layer is INT8: R10 keeps the four small Convs float.
#include <gmock/gmock.h>

#include "tests/pipeline/small_network.h"

namespace detent {
namespace {

class NoInt8Layer : public SmallNetwork {
 protected:
  [[nodiscard]] QuantizeReport quantized(const std::string& equalize) const {
    QuantizeOptions given = options(samples("data", std::vector<float>(16, 1.0F)));
    given.placement.small_layers = PlacementOptions::SmallLayers::Auto;
    given.equalize.equalize = equalize;
    return quantize_model(given);
  }
};

TEST_F(NoInt8Layer, EqualizationMeasuresNothingAndSaysWhy) {
  const QuantizeReport report = quantized("auto");
  ASSERT_TRUE(report.equalized);
  EXPECT_EQ(report.equalized->samples, 0U);
  EXPECT_TRUE(report.equalized->values.empty());
  EXPECT_THAT(report.equalized->notes,
              testing::ElementsAre("nothing is INT8 on tensorrt, so there is nothing to gain"));
}

TEST_F(NoInt8Layer, FamiliesThatAreNamedAreEvenedOutAllTheSame) {
  const QuantizeReport report = quantized("relu");
  ASSERT_TRUE(report.equalized);
  EXPECT_FALSE(report.equalized->values.empty());
}

}  // namespace
}  // namespace detent
