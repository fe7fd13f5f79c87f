// choose_ranges() where some samples are outliers: ranges end where the others do.
#include <gtest/gtest.h>

#include "calibrate/add_pair.h"
#include "calibrate/calibration.h"
#include "calibrate/choose_ranges.h"
#include "calibrate/range_overrides.h"
#include "detent/base/calibrator.h"
#include "detent/base/qparams.h"
#include "model/model.h"
#include "place/plan/placement_plan.h"

namespace detent {
namespace {

/// a and b share a scale, c has one of its own. Sample "odd" reaches furthest everywhere.
class ClippedSamples : public ::testing::Test {
 protected:
  void SetUp() override {
    pair("a", "Concat_0", 0, 0);
    pair("b", "Concat_0", 1, 0);
    pair("c", "Relu_1", 0, -1);
    calibration_.sample_names = {"first", "odd", "second"};
    reach("a", {{-1, 0.5F}, {-4, 2}, {-0.5F, 0.75F}});
    reach("b", {{0, 3}, {0, 8}, {0.25F, 2.5F}});
    reach("c", {{-2, 9}, {-3, 40}, {-1, 7}});
  }
  void reach(const char* name, const std::vector<Extremes>& samples) {
    Histogram histogram;
    for (const Extremes& sample : samples) histogram.add(std::vector<float>{sample.min, sample.max});
    calibration_.histograms[value(name)] = histogram;
    calibration_.extremes[value(name)] = samples;
  }
  void pair(const char* name, const char* node, int slot, int group) {
    test::add_pair(plan_, model_.graph(), name, node, slot, group);
  }
  [[nodiscard]] ValueId value(const char* name) const { return model_.graph().find_value(name); }
  [[nodiscard]] Range range(const char* name, RangeKind kind = RangeKind::Asymmetric) const {
    const auto calibrator = make_calibrator("max");
    const RangeChoice choice{model_.graph(), *calibrator, overrides_, kind, 2, clipped_};
    return choose_ranges(plan_, calibration_, choice).at(value(name));
  }

  PlacementPlan plan_;
  Calibration calibration_;
  RangeOverrides overrides_;
  std::set<std::string> clipped_ = {"odd"};

 private:
  Model model_ = parse_model_text(R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[N, 3] a, float[N, 3] b) => (float[N, 9] y)
<float[1, 3] k = {-6, 1, 2}>
{ c = Concat <axis = 1> (a, b, k)  y = Relu (c) })");
};

TEST_F(ClippedSamples, EndARangeWhereTheOthersDo) {
  EXPECT_EQ(range("c"), (Range{-2, 9}));
  EXPECT_EQ(range("c", RangeKind::Symmetric), (Range{-9, 9}));
}

TEST_F(ClippedSamples, ThatAreNoneChangeNothing) {
  clipped_ = {};
  EXPECT_EQ(range("c"), (Range{-3, 40}));
  EXPECT_EQ(range("c", RangeKind::Symmetric), (Range{-40, 40}));
  EXPECT_EQ(range("a"), (Range{-4, 8}));
}

TEST_F(ClippedSamples, OfAnotherNameChangeNothing) {
  clipped_ = {"od", "odd one"};
  EXPECT_EQ(range("c"), (Range{-3, 40}));
}

TEST_F(ClippedSamples, EndTheRangeOfAGroupWhereTheOthersOfAllMembersDo) {
  for (const char* name : {"a", "b"}) {
    EXPECT_EQ(range(name), (Range{-1, 3})) << name;
    EXPECT_EQ(range(name, RangeKind::Symmetric), (Range{-3, 3})) << name;
  }
}

TEST_F(ClippedSamples, DoNotCutWhatAConstantOfTheGroupHolds) {
  pair("k", "Concat_0", 2, 0);
  calibration_.histograms[value("k")].add(std::vector<float>{-6, 1, 2});
  EXPECT_EQ(range("a"), (Range{-6, 3}));
  EXPECT_EQ(range("b", RangeKind::Symmetric), (Range{-6, 6}));
}

TEST_F(ClippedSamples, DoNotWidenARangeThatEndsBefore) {
  plan_.range_limits = {{value("c"), {0, 6}}};
  EXPECT_EQ(range("c"), (Range{0, 6}));
  clipped_ = {"second"};  // reaches furthest nowhere
  plan_.range_limits.clear();
  EXPECT_EQ(range("c"), (Range{-3, 40}));
}

TEST_F(ClippedSamples, KeepZeroInTheRange) {
  reach("c", {{2, 9}, {-3, 40}, {1, 7}});
  EXPECT_EQ(range("c"), (Range{0, 9}));
  reach("c", {{-9, -2}, {-30, 4}, {-7, -1}});
  EXPECT_EQ(range("c"), (Range{-9, 0}));
}

TEST_F(ClippedSamples, DoNotCutTheUsersRangeOrCalibrator) {
  overrides_["c"] = {nullptr, {-50, 60}};
  EXPECT_EQ(range("c"), (Range{-50, 60}));
  overrides_["c"] = {make_calibrator("max"), {}};
  EXPECT_EQ(range("c"), (Range{-3, 40}));
  EXPECT_EQ(range("a"), (Range{-1, 3})) << "of a value without override";
}

TEST_F(ClippedSamples, DoNotCutAFixedRange) {
  plan_.fixed_ranges = {{value("c"), {0, 50}}, {value("a"), {-5, 1}}};
  EXPECT_EQ(range("c"), (Range{0, 50}));
  EXPECT_EQ(range("b"), (Range{-5, 3})) << "of a fixed range and a cut one both";
}

TEST_F(ClippedSamples, DoNotCutValuesWhoseSamplesAreNotToldApart) {
  calibration_.extremes.erase(value("c"));
  EXPECT_EQ(range("c"), (Range{-3, 40}));
  calibration_.extremes.erase(value("b"));
  EXPECT_EQ(range("a"), (Range{-4, 8})) << "one member of a group is enough";
}

TEST_F(ClippedSamples, DoNotCutAnImportedScale) {
  calibration_.scales[value("c")] = 0.5F;
  calibration_.histograms.erase(value("c"));
  calibration_.extremes.erase(value("c"));
  EXPECT_EQ(range("c"), (Range{-63.5F, 63.5F, 0.5F}));
}

TEST_F(ClippedSamples, DoNotCutWhereTheOthersSayNothing) {
  reach("c", {{0, 0}, {-3, 40}, {0, 0}});
  EXPECT_EQ(range("c"), (Range{-3, 40})) << "a range of width 0 serves nobody";
  clipped_ = {"first", "odd", "second"};
  EXPECT_EQ(range("b"), (Range{-4, 8}));
}

}  // namespace
}  // namespace detent
