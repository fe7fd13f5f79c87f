#include "calibrate/choose_ranges.h"
#include "calibrate/add_pair.h"

#include <gtest/gtest.h>

#include "calibrate/calibration.h"
#include "calibrate/range_overrides.h"
#include "detent/base/calibrator.h"
#include "detent/base/error.h"
#include "detent/base/qparams.h"
#include "model/model.h"
#include "model/temporary_folder.h"
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
  [[nodiscard]] std::map<ValueId, Range> ranges(RangeKind kind = RangeKind::Asymmetric,
                                                const char* spec = "max") const {
    const auto calibrator = make_calibrator(spec);
    return choose_ranges(plan_, calibration_, {model_.graph(), *calibrator, overrides_, kind, 2});
  }

  PlacementPlan plan_;
  Calibration calibration_;
  RangeOverrides overrides_;

 private:
  void pair(const char* name, const char* node, int slot, int group) {
    test::add_pair(plan_, model_.graph(), name, node, slot, group);
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

/// In twenty samples a reaches from -1/20 to -1 while b reaches from 3 down to 3/20, and c is 9 but for nine samples.
TEST_F(ChooseRanges, JoinsTheSamplesOfAScaleGroupOneByOne) {
  for (int i = 1; i <= 20; ++i) {
    const float step = static_cast<float>(i) / 20;
    calibration_.sample_names.push_back(std::to_string(i));
    calibration_.extremes[value("a")].push_back({-step, 0});
    calibration_.extremes[value("b")].push_back({0, 3 * (1.05F - step)});
    calibration_.extremes[value("c")].push_back({i < 10 ? Extremes{-2, 1} : Extremes{-2, 9}});
  }
  // Largest |x| of a and b: 3, 2.85 ... while b is larger, i <= 15, then .8 .85 .9 .95 1: their lower half ends at 1.5.
  const auto chosen = ranges(RangeKind::Symmetric, "samplemax:50");
  EXPECT_FLOAT_EQ(chosen.at(value("a")).max, 1.5F);
  EXPECT_EQ(chosen.at(value("b")), chosen.at(value("a")));
  EXPECT_EQ(chosen.at(value("c")), (Range{-9, 9}));
  EXPECT_EQ(ranges(RangeKind::Symmetric).at(value("a")), (Range{-3, 3}));
}

TEST_F(ChooseRanges, RefusesACalibratorOfSamplesWhereNoneAreKnown) {
  const Error error = error_of<Error>([&] { static_cast<void>(ranges(RangeKind::Symmetric, "samplemax")); });
  EXPECT_EQ(error.code(), ErrorCode::TableMismatch);
  EXPECT_NE(error.hint().find("calibrate again"), std::string::npos);
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
