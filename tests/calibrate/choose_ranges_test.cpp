#include "calibrate/choose_ranges.h"

#include <gtest/gtest.h>

#include "calibrate/calibration.h"
#include "calibrate/range_overrides.h"
#include "detent/calibrator.h"
#include "detent/qparams.h"
#include "model/model.h"
#include "place/plan/placement_plan.h"

namespace detent {
namespace {

Histogram histogram_of(std::initializer_list<float> values) {
  Histogram histogram;
  histogram.add(std::span<const float>(values.begin(), values.size()));
  return histogram;
}

/// a and b share a scale, c has one of its own.
class ChooseRanges : public ::testing::Test {
 protected:
  void SetUp() override {
    pair("a", "Concat_0", 0, 0);
    pair("b", "Concat_0", 1, 0);
    pair("c", "Relu_1", 0, -1);
    calibration_.histograms = {
        {value("a"), histogram_of({-1, 0.5})}, {value("b"), histogram_of({0, 3})}, {value("c"), histogram_of({-2, 9})}};
  }
  [[nodiscard]] ValueId value(const char* name) const { return model_.graph().find_value(name); }
  [[nodiscard]] std::map<ValueId, Range> ranges(RangeKind kind = RangeKind::Asymmetric) const {
    const auto calibrator = make_calibrator("max");
    return choose_ranges(plan_, calibration_, {model_.graph(), *calibrator, overrides_, kind, 2});
  }

  PlacementPlan plan_;
  Calibration calibration_;
  RangeOverrides overrides_;

 private:
  void pair(const char* name, const char* node, int slot, int group) {
    EdgeDecision edge;
    edge.value = value(name);
    edge.consumer = model_.graph().find_node(node);
    edge.slot = slot;
    edge.pair = true;
    edge.scale_group = group;
    plan_.edges.push_back(edge);
  }

  Model model_ = parse_model_text(R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[N, 3] a, float[N, 3] b) => (float[N, 6] y)
{ c = Concat <axis = 1> (a, b)  y = Relu (c) })");
};

TEST_F(ChooseRanges, JoinsTheDataOfAScaleGroup) {
  const auto chosen = ranges();
  EXPECT_EQ(chosen.at(value("a")), (Range{-1, 3}));
  EXPECT_EQ(chosen.at(value("b")), (Range{-1, 3}));
  EXPECT_EQ(chosen.at(value("c")), (Range{-2, 9}));
  EXPECT_EQ(ranges(RangeKind::Symmetric).at(value("c")), (Range{-9, 9}));
}

TEST_F(ChooseRanges, TakesAnOverrideForAllThatShareTheScale) {
  overrides_["b"] = {nullptr, {-5, 6}};
  const auto chosen = ranges();
  EXPECT_EQ(chosen.at(value("a")), (Range{-5, 6}));
  EXPECT_EQ(chosen.at(value("b")), (Range{-5, 6}));
  EXPECT_EQ(chosen.at(value("c")), (Range{-2, 9}));
}

TEST_F(ChooseRanges, CutsAMeasuredRangeToItsLimitButNotTheUsersRange) {
  plan_.range_limits = {{value("c"), {0, 6}}};
  EXPECT_EQ(ranges().at(value("c")), (Range{0, 6}));
  overrides_["c"] = {make_calibrator("max"), {}};
  EXPECT_EQ(ranges().at(value("c")), (Range{0, 6}));
  overrides_["c"] = {nullptr, {-1, 8}};
  EXPECT_EQ(ranges().at(value("c")), (Range{-1, 8}));
}

TEST_F(ChooseRanges, TakesTheFixedRangeUnlessTheUserWantsAnother) {
  plan_.fixed_ranges = {{value("c"), {0, 1}}};
  EXPECT_EQ(ranges().at(value("c")), (Range{0, 1}));
  overrides_["c"] = {make_calibrator("max"), {}};
  EXPECT_EQ(ranges().at(value("c")), (Range{-2, 9}));
  overrides_["c"] = {nullptr, {-4, 4}};
  EXPECT_EQ(ranges().at(value("c")), (Range{-4, 4}));
}

}  // namespace
}  // namespace detent
