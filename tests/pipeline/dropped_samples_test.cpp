// What a report says of samples that were dropped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/small_network.h"

namespace detent {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class DroppedSamples : public SmallNetwork {
 protected:
  /// Ten samples; s04.npy reaches as far as `planted`, the others from 1 to 25/16.
  [[nodiscard]] QuantizeReport quantize(float planted, OutlierPolicy policy) const {
    std::vector<float> reaches;
    for (size_t i = 0; i < 10; ++i) reaches.push_back(1 + static_cast<float>(i) / 16);
    reaches[4] = planted;
    QuantizeOptions given = options(samples("data", reaches));
    given.outliers = policy;
    return quantize_model(given);
  }
};

TEST_F(DroppedSamples, AreNamedAsThoseThatAreClippedAre) {
  for (const OutlierPolicy policy : {OutlierPolicy::Keep, OutlierPolicy::Clip, OutlierPolicy::Drop}) {
    const QuantizeReport report = quantize(20, policy);
    ASSERT_THAT(report.outliers.samples, SizeIs(1)) << name_of(policy);
    EXPECT_EQ(report.outliers.samples[0].sample, "s04.npy") << name_of(policy);
    EXPECT_EQ(report.outliers.samples[0].values, 4U) << name_of(policy);
  }
}

TEST_F(DroppedSamples, AreNoneWhereSamplesAreAlike) {
  const QuantizeReport report = quantize(1.25F, OutlierPolicy::Drop);
  EXPECT_THAT(report.outliers.samples, IsEmpty());
  EXPECT_EQ(report.samples, 10U);
}

}  // namespace
}  // namespace detent
