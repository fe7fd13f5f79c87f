#include "calibrate/choose_ranges.h"

#include <gtest/gtest.h>

#include "calibrate/calibration.h"
#include "calibrate/range_overrides.h"
#include "detent/base/calibrator.h"
#include "detent/base/qparams.h"
#include "model/model.h"
#include "place/plan/placement_plan.h"

namespace detent {
namespace {

/// Values p and q with one scale, read by one node each, and what was measured of them.
class RangesOfAGroup : public testing::Test {
 protected:
  RangesOfAGroup()
      : model_(parse_model_text(R"(
          <ir_version: 8, opset_import: ["" : 17]>
          g (float[1,4] x) => (float[1,4] a, float[1,4] b) { p = Neg (x)  q = Abs (x)  a = Relu (p)  b = Relu (q) })")) {
    for (const char* name : {"p", "q"}) {
      const ValueId value = model_.graph().find_value(name);
      const Use use = model_.graph().value(value).uses.at(0);
      plan_.edges.push_back({value, use.node, use.slot, true, 0, RuleId::None, "by hand"});
    }
    measure("p", {-1, 6.5F});
    measure("q", {0, 3});
  }
  [[nodiscard]] ValueId id(const char* name) const { return model_.graph().find_value(name); }
  void measure(const char* name, const std::vector<float>& values) { calibration_.histograms[id(name)].add(values); }
  [[nodiscard]] Range range(const RangeOverrides& overrides = {}) const {
    const auto calibrator = make_calibrator("max");
    const auto ranges =
        choose_ranges(plan_, calibration_, {model_.graph(), *calibrator, overrides, RangeKind::Asymmetric});
    EXPECT_EQ(ranges.at(id("p")), ranges.at(id("q")));
    return ranges.at(id("p"));
  }

  Model model_;
  PlacementPlan plan_;
  Calibration calibration_;
};

TEST_F(RangesOfAGroup, ComeFromTheMergedData) { EXPECT_EQ(range(), (Range{-1, 6.5F})); }

TEST_F(RangesOfAGroup, AreCutWhereEveryMemberHasALimit) {
  plan_.range_limits = {{id("p"), {0, 6}}, {id("q"), {0, 4}}};
  EXPECT_EQ(range(), (Range{0, 6}));
}

TEST_F(RangesOfAGroup, AreNotCutWhereOneMemberHasNone) {
  plan_.range_limits = {{id("q"), {0, 4}}};
  EXPECT_EQ(range(), (Range{-1, 6.5F}));
}

TEST_F(RangesOfAGroup, AreWidenedToTheGivenRangeOfAMember) {
  plan_.fixed_ranges = {{id("p"), {-8, 1}}};  // nothing measured of p counts
  EXPECT_EQ(range(), (Range{-8, 3}));
}

TEST_F(RangesOfAGroup, NeedNoDataWhereEveryRangeIsGiven) {
  plan_.fixed_ranges = {{id("p"), {0, 1}}, {id("q"), {0, 2}}};
  calibration_.histograms.clear();
  EXPECT_EQ(range(), (Range{0, 2}));
}

TEST_F(RangesOfAGroup, TheUsersRangeWinsForAll) {
  plan_.fixed_ranges = {{id("p"), {0, 1}}};
  EXPECT_EQ(range({{"q", {nullptr, {-2, 2}}}}), (Range{-2, 2}));
}

}  // namespace
}  // namespace detent
