#include "core/nearest_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(EditDistance, CountsInsertedRemovedAndReplacedCharacters) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);  // the textbook's example
  EXPECT_EQ(edit_distance("conv1", "conv1"), 0U);
  EXPECT_EQ(edit_distance(U"\u00e9t\u00e9", U"ete"), 2U) << "characters, not bytes";
}

TEST(NearestNames, ComeNearestFirstAndInTheirOrderWhenEquallyNear) {
  const std::vector<std::string> names = {"relu_1", "conv_10", "conv_2", "conv_1"};
  EXPECT_THAT(nearest_names("conv_3", names, 2), ElementsAre("conv_2", "conv_1"));
}

TEST(NearestNames, CountAPartOfANameAsNear) {
  const std::vector<std::string> names = {"relu_4", "/backbone/layer1/relu_3_output_0"};
  EXPECT_THAT(nearest_names("relu_3_output_0", names, 1), ElementsAre("/backbone/layer1/relu_3_output_0"));
}

TEST(NearestNames, AreNoneOfNone) { EXPECT_THAT(nearest_names("x", {}, 3), IsEmpty()); }

TEST(LikelyName, IsTheOneThatIsASlipAway) {
  const std::vector<std::string> names = {"max", "percentile", "entropy", "mse"};
  EXPECT_EQ(likely_name("entrpy", names), "entropy");
  EXPECT_EQ(likely_name("entorpy", names), "entropy") << "two neighbours swapped";
  EXPECT_EQ(likely_name("Entropy", names), "entropy");
  EXPECT_EQ(likely_name("mae", names), "max") << "of two at the same distance the first";
  EXPECT_EQ(likely_name("perc", names), "percentile") << "begins no other";
}

TEST(LikelyName, IsNoneWhereNothingIsNear) {
  const std::vector<std::string> names = {"max", "mse", "map", "mapping"};
  EXPECT_EQ(likely_name("nosuch", names), "");
  EXPECT_EQ(likely_name("", names), "");
  EXPECT_EQ(likely_name("mapp", {}), "");
  EXPECT_EQ(likely_name("xyz", names), "") << "three characters, all of them wrong";
  const std::vector<std::string> calibrations = {"calibrate", "calibrator"};
  EXPECT_EQ(likely_name("calib", calibrations), "") << "begins both";
}

TEST(LikelyName, LooksBehindTheDashesOfOptions) {
  const std::vector<std::string> names = {"--data", "--table"};
  EXPECT_EQ(likely_name("--dta", names), "--data");
  EXPECT_EQ(likely_name("--x", names), "");
}

TEST(DidYouMean, AsksForTheNearOneAndSaysSomethingElseOtherwise) {
  const std::vector<std::string> names = {"entropy"};
  EXPECT_EQ(did_you_mean("entrpy", names, "known: entropy"), "did you mean 'entropy'?");
  EXPECT_EQ(did_you_mean("nosuch", names, "known: entropy"), "known: entropy");
  EXPECT_EQ(did_you_mean("nosuch", names), "");
}

}  // namespace
}  // namespace detent
