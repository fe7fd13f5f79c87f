#include "tune/ruinous_layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluate/float_network.h"
#include "evaluate/variants_of.h"
#include "model/model.h"
#include "run/memory_source.h"

namespace detent {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;

/// Returns what is found in the residual network, whose layer Conv_8 has a fifth of the multiplications.
KeptFloat found_in(float spread, const PlacementRequest& placement = {}, bool depthwise = false) {
  const Model model = test::residual_network(spread, depthwise);
  const MemorySource source(test::residual_samples(8));
  test::VariantsOf network(model, source, "tensorrt", placement);
  return find_ruinous_layers(network.variants, source, network.settings);
}

TEST(RuinousLayers, IsTheReaderOfAValueThatEightBitsRuin) {
  const KeptFloat found = found_in(256);
  ASSERT_THAT(found, ElementsAre(Key("Conv_8")));
  EXPECT_THAT(found.at("Conv_8"), AllOf(HasSubstr("8 bits keep"), HasSubstr("of 'd'; without them the mean SQNR is"),
                                        HasSubstr(", on 8 samples")));
}

TEST(RuinousLayers, AreNoneInANetworkOfEvenChannels) { EXPECT_THAT(found_in(1), IsEmpty()); }

// Without Conv_8 the outputs would have 37 dB instead of 12.
TEST(RuinousLayers, AreNoneOfThisSizeWhileTheOutputsAreOfUse) { EXPECT_THAT(found_in(64), IsEmpty()); }

// The whole plan has 21 dB.
TEST(RuinousLayers, AreAlsoCheapOnesOfANetworkOfUse) {
  EXPECT_THAT(found_in(24, {}, true), ElementsAre(Key("Conv_8")));
}

// The whole plan has more than 24 dB.
TEST(RuinousLayers, AreNoCheapOnesOfAGoodNetwork) { EXPECT_THAT(found_in(12, {}, true), IsEmpty()); }

TEST(RuinousLayers, AreNoLayersThatTheUserIncludes) {
  PlacementRequest placement;
  placement.include = {"Conv_8"};
  EXPECT_THAT(found_in(256, placement), IsEmpty());
}

}  // namespace
}  // namespace detent
