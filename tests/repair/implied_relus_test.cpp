#include "repair/implied_relus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/model.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Returns which of the named values a pair of UINT8 codes around `point` alone cuts off at 0. x is an input.
std::set<std::string> cut(const std::string& nodes, const std::vector<std::string>& paired, int64_t point = 0,
                          std::optional<CodeRange> clipped = {}) {
  const Model model = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 17]> g (float[1,4,4,4] x) => (float[N] y, float[N] u) "
      "<int64[2] flat = {1, -1}, float zero = {0}, float below = {-1}, float six = {6}> { " +
      nodes + " }");
  QdqNode grid;
  grid.scales = {1}, grid.zero_points = {point}, grid.clipped = clipped;
  std::map<std::string, const QdqNode*> grids;
  for (const std::string& name : paired) grids[name] = &grid;
  return values_cut_at_zero(model.graph(), grids);
}

TEST(ImpliedRelus, APairWhoseCodesBeginAtZeroCutsWhatCanBeNegative) {
  EXPECT_THAT(cut("v = Neg (x)  y = Exp (v)  u = Neg (x)", {"v"}), ElementsAre("v"));
  EXPECT_THAT(cut("v = Neg (x)  y = Exp (v)  u = Neg (x)", {"v"}, 1), IsEmpty()) << "a code is left below 0";
  EXPECT_THAT(cut("v = Neg (x)  y = Exp (v)  u = Neg (x)", {"v"}, 1, CodeRange{1, 127}), ElementsAre("v")) << "a Clip";
  EXPECT_THAT(cut("v = Relu (x)  y = Exp (v)  u = Neg (x)", {"v"}), IsEmpty());
  EXPECT_THAT(cut("r = Relu (x)  v = Reshape (r, flat)  y = Exp (v)  u = Neg (x)", {"r", "v"}), IsEmpty());
  EXPECT_THAT(cut("y = Exp (x)  u = Neg (x)", {"x"}), ElementsAre("x"));
}

TEST(ImpliedRelus, AReluBehindThePairCutsItself) {
  EXPECT_THAT(cut("v = Neg (x)  y = Relu (v)  u = Neg (x)", {"v"}), IsEmpty());
  EXPECT_THAT(cut("v = Neg (x)  y = Clip (v, zero, six)  u = Neg (x)", {"v"}), IsEmpty());
  EXPECT_THAT(cut("v = Neg (x)  y = Clip (v, below, six)  u = Neg (x)", {"v"}), ElementsAre("v"));
  EXPECT_THAT(cut("y = Relu (x)  u = Relu (x)", {"x"}), IsEmpty());
}

TEST(ImpliedRelus, AReluBehindCopiesCutsForAllPairsInFrontOfIt) {
  const std::string copy = "v = Neg (x)  w = Reshape (v, flat)  r = Relu (w)  y = Neg (r)  ";
  EXPECT_THAT(cut(copy + "u = Neg (x)", {"v", "w", "r"}), IsEmpty());
  EXPECT_THAT(cut(copy + "u = Exp (v)", {"v", "w", "r"}), ElementsAre("v")) << "another reader";
  EXPECT_THAT(cut("v = Neg (x)  w = Sin (v)  y = Relu (w)  u = Neg (x)", {"v"}), ElementsAre("v")) << "no copy";
}

TEST(ImpliedRelus, AGraphOutputHasNoReluBehindIt) {
  EXPECT_THAT(cut("u = Neg (x)  y = Relu (u)", {"u"}), ElementsAre("u"));
}

}  // namespace
}  // namespace detent
