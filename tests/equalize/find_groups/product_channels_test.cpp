#include "tests/equalize/networks.h"

namespace detent {
namespace {

using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::UnorderedElementsAre;

/// A gated layer of 6 channels: `up` makes u and the product p from the gate's a; what reads p ends in y.
Model gated(const std::string& up, const std::string& down = "y = MatMul (p, wd)") {
  return network("g = MatMul (x, wg)\n s = Sigmoid (g)\n a = Mul (g, s)\n" + up + "\n" + down,
                 {uneven("wg", {8, 6}), uneven("wu", {8, 6}), uneven("wide", {8, 12}), uneven("w1", {8, 1}),
                  uneven("bu", {6}), uneven("wd", {6, 3})},
                 "float[1, 5, 8] x", "float[N, S, C] y");
}

/// Expects exact factors of products alone.
Equalization expect_exact_products(const Model& model) { return expect_exact(model, EqualizeFamily::Product); }

TEST(ProductChannels, TheLayerThatMakesOneFactorTakesThemAndTheOtherFactorStays) {
  const Equalization equalization = expect_exact_products(gated("u = MatMul (x, wu)\n p = Mul (a, u)"));
  EXPECT_THAT(equalization.values, UnorderedElementsAre(Key("u"), Key("p")));
  EXPECT_EQ(equalization.values.at("u").factors, equalization.values.at("p").factors);
}

TEST(ProductChannels, ABiasARectifierOrAPartOfAJointProjectionMayLieBetween) {
  for (const std::string up :
       {"m = MatMul (x, wu)\n u = Add (m, bu)\n p = Mul (u, a)", "m = MatMul (x, wu)\n u = Relu (m)\n p = Mul (a, u)",
        "m = MatMul (x, wide)\n u, v = Split <axis = 2> (m)\n t = Tanh (v)\n p = Mul (t, u)"})
    expect_exact_products(gated(up));
}

TEST(ProductChannels, OfTwoLayersOneTakesThem) {
  const Equalization equalization = expect_exact_products(
      gated("u = MatMul (x, wu)\n m = MatMul (x, wg)\n p = Mul (m, u)", "q = Add (p, p)\n y = MatMul (q, wd)"));
  EXPECT_NE(equalization.values.contains("u"), equalization.values.contains("m"));
}

TEST(ProductChannels, TheOtherFactorMayBeBroadcastOverChannels) {
  EXPECT_THAT(expect_exact_products(gated("u = MatMul (x, wu)\n m = MatMul (x, w1)\n p = Mul (u, m)")).values,
              UnorderedElementsAre(Key("u"), Key("p")));
}

TEST(ProductChannels, AFactorThatIsBroadcastOverChannelsTakesNone) {
  EXPECT_THAT(groups_of(gated("u = MatMul (x, w1)\n p = Mul (a, u)")), IsEmpty());
}

TEST(ProductChannels, NotWhereAnotherNodeReadsTheFactor) {
  EXPECT_THAT(
      groups_of(gated("u = MatMul (x, wu)\n p = Mul (a, u)", "q = Add (u, p)\n t = Tanh (q)\n y = MatMul (t, wd)")),
      IsEmpty());
  EXPECT_THAT(groups_of(gated("u = MatMul (x, wu)\n p = Mul (u, u)")), IsEmpty()) << "a square reads it twice";
}

TEST(ProductChannels, NotWithANonlinearityBeforeOrBehindTheProduct) {
  EXPECT_THAT(groups_of(gated("m = MatMul (x, wu)\n u = Tanh (m)\n p = Mul (a, u)")), IsEmpty());
  EXPECT_THAT(groups_of(gated("u = MatMul (x, wu)\n p = Mul (a, u)", "t = Tanh (p)\n y = MatMul (t, wd)")), IsEmpty());
}

}  // namespace
}  // namespace detent
