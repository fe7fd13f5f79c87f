#include "tune/refine/range_trials.h"

#include <gtest/gtest.h>

#include "model/model.h"

namespace detent {
namespace {

/// a -> Conv -> b -> Conv -> c, with pairs on a and b. The layers cost 10 and 100.
class RangeTrials : public ::testing::Test {
 protected:
  RangeTrials() {
    constexpr NodeId kFirst{0}, kSecond{1};
    const Graph& graph = model_.graph();
    a_ = *graph.find_value("a");
    b_ = *graph.find_value("b");
    plan_.values = {{a_, {.pair = true}}, {b_, {.pair = true}}};
    plan_.layers = {{kFirst, Runs::Int8, nullptr, "test", 1, 10}, {kSecond, Runs::Int8, nullptr, "test", 1, 100}};
    const std::vector<float> elements{-8, 1, 8};
    for (const ValueId value : {a_, b_}) calibration_.histograms[value].add(elements);
  }

  [[nodiscard]] std::vector<RangeUnit> units(const std::map<ValueId, Range>& ranges) const {
    const RangesOf ranges_of = [&](const Calibrator& calibrator) {
      return calibrator.name() == "mse" ? std::map<ValueId, Range>{{a_, {-2, 2}}, {b_, {-2, 2}}} : ranges;
    };
    return units_to_try({model_.graph(), plan_, calibration_, overrides_, ranges_of}, ranges);
  }
  [[nodiscard]] std::vector<RangeUnit> units() const { return units({{a_, {-4, 4}}, {b_, {-4, 4}}}); }

  const Model model_ = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[1, 1, 4, 4] a) => (float[1, 1, 4, 4] c) <float[1, 1, 1, 1] w = {1}> { b = Conv (a, w)  c = Conv (b, w) })");
  ValueId a_{}, b_{};
  PlacementPlan plan_;
  Calibration calibration_;
  RangeOverrides overrides_;
};

std::vector<float> ends(const RangeUnit& unit) {
  std::vector<float> ends;
  for (const TrialRange& trial : unit.trials) ends.push_back(trial.range.max);
  return ends;
}

TEST_F(RangeTrials, AreOtherCalibratorsAndFactors) {
  const auto found = units();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(ends(found[0]), (std::vector<float>{2, 4 * 0.7F, 4 * 0.84F, 4 * 1.19F, 4 * 1.41F}));
  EXPECT_EQ(found[0].trials[0].origin, "mse");
  EXPECT_EQ(found[0].trials[1].origin, "x0.7");
}

TEST_F(RangeTrials, CostTheLayersBehindThem) {
  EXPECT_EQ(units()[0].macs, 110);
  EXPECT_EQ(units()[1].macs, 100);
}

TEST_F(RangeTrials, GoNoFurtherThanWhatWasMeasuredOrMayOccur) {
  EXPECT_EQ(ends(units({{a_, {-7, 7}}, {b_, {-4, 4}}})[0]).back(), 8);
  plan_.values[a_].limit = {0, 4.5F};
  EXPECT_EQ(ends(units()[0]).back(), 4.5F);
}

TEST_F(RangeTrials, LieApart) {
  // 1.41 * 6 and 1.19 * 6 are 8 at most; 8 / 7.14 is 1.12 and stays, but 1.19 * 6.9 is 8 as well.
  EXPECT_EQ(ends(units({{a_, {-6.9F, 6.9F}}, {b_, {-4, 4}}})[0]),
            (std::vector<float>{2, 6.9F * 0.7F, 6.9F * 0.84F, 8}));
}

TEST_F(RangeTrials, OfAGroupChangeAllItsMembers) {
  for (auto& [id, value] : plan_.values) value.scale_group = 0;
  const auto found = units();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].members, (std::vector<ValueId>{std::min(a_, b_), std::max(a_, b_)}));
}

TEST_F(RangeTrials, LeaveGivenRangesAlone) {
  plan_.values[b_].fixed = {0, 1};
  ASSERT_EQ(units().size(), 1U);
  EXPECT_EQ(units()[0].members, std::vector<ValueId>{a_});
  overrides_["a"] = {nullptr, {-1, 1}};
  EXPECT_TRUE(units().empty());
}

TEST_F(RangeTrials, LeaveAGroupWithAGivenMemberAlone) {
  for (auto& [id, value] : plan_.values) value.scale_group = 0;
  calibration_.given[b_] = range_of_scale(0.5F);
  EXPECT_TRUE(units().empty());
}

}  // namespace
}  // namespace detent
