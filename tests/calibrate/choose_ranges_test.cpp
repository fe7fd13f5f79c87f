#include "calibrate/choose_ranges.h"

#include <gtest/gtest.h>

#include "model/model.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

/// a and b share a scale, c has another one.
class ChooseRanges : public ::testing::Test {
 protected:
  ChooseRanges() {
    pair("a", 0);
    pair("b", 0);
    pair("c", -1);
    measure("a", {-1, 0.5F});
    measure("b", {0, 3});
    measure("c", {-2, 9});
  }
  void measure(const char* name, const std::vector<float>& values) {
    Histogram& histogram = calibration_.histograms[value(name)] = {};
    histogram.add(values);
  }
  void pair(const char* name, int group) { plan_.values[value(name)] = {.pair = true, .scale_group = group}; }
  void fix(const char* name, const Range& range) { plan_.values[value(name)].fixed = range; }
  void limit(const char* name, const std::optional<Range>& range) { plan_.values[value(name)].limit = range; }
  [[nodiscard]] ValueId value(const char* name) const { return *model_.graph().find_value(name); }
  [[nodiscard]] Range range(const char* name, RangeKind kind = RangeKind::Asymmetric, const char* spec = "max") const {
    const auto calibrator = make_calibrator(spec);
    const RangeChoice choice{model_.graph(), *calibrator, overrides_, kind, 2, clipped_};
    const auto ranges = choose_ranges(plan_, calibration_, choice);
    EXPECT_EQ(ranges.at(value("a")), ranges.at(value("b")));
    return ranges.at(value(name));
  }

  Model model_ = parse_model_text(R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[N, 3] a, float[N, 3] b) => (float[N, 9] y)
<float[1, 3] k = {-6, 1, 2}>
{ c = Concat <axis = 1> (a, b, k)  y = Relu (c) })");
  PlacementPlan plan_;
  Calibration calibration_;
  RangeOverrides overrides_;
  std::set<std::string> clipped_;
};

TEST_F(ChooseRanges, ValuesThatAnotherPlanNeedsAreMeasuredOnce) {
  std::vector<ValueId> asked;
  const MeasureValues measure_values = [&](std::span<const ValueId> values) {
    asked.assign(values.begin(), values.end());
    Calibration more;
    for (const ValueId one : values) more.histograms[one].add(std::vector<float>{0, 5});
    return more;
  };
  measure_missing(calibration_, {&plan_, 1}, measure_values);
  EXPECT_TRUE(asked.empty()) << "all are known";
  calibration_.histograms.erase(value("c"));
  measure_missing(calibration_, {&plan_, 1}, measure_values);
  EXPECT_EQ(asked, std::vector{value("c")});
  EXPECT_EQ(range("c").max, 5);
}

TEST_F(ChooseRanges, JoinsTheDataOfAScaleGroup) {
  EXPECT_EQ(range("a"), (Range{-1, 3}));
  EXPECT_EQ(range("c"), (Range{-2, 9}));
  EXPECT_EQ(range("c", RangeKind::Symmetric), (Range{-9, 9}));
}

/// In twenty samples a reaches from -1/20 to -1 while b reaches from 3 down to 3/20; c is 9, except in nine samples.
TEST_F(ChooseRanges, JoinsTheSamplesOfAScaleGroupOneByOne) {
  for (int i = 1; i <= 20; ++i) {
    const float step = static_cast<float>(i) / 20;
    calibration_.sample_names.push_back(std::to_string(i));
    calibration_.extremes[value("a")].push_back({-step, 0});
    calibration_.extremes[value("b")].push_back({0, 3 * (1.05F - step)});
    calibration_.extremes[value("c")].push_back({i < 10 ? Extremes{-2, 1} : Extremes{-2, 9}});
  }
  // Largest |x| of a and b: 3, 2.85 ... while b is larger, i <= 15, then .8 .85 .9 .95 1: their lower half ends at 1.5.
  EXPECT_FLOAT_EQ(range("a", RangeKind::Symmetric, "samplemax:50").max, 1.5F);
  EXPECT_EQ(range("c", RangeKind::Symmetric, "samplemax:50"), (Range{-9, 9}));
  EXPECT_EQ(range("a", RangeKind::Symmetric), (Range{-3, 3}));
}

/// c is a sum of scores a and a mask b, before a Softmax.
class MaskedRanges : public ChooseRanges {
 protected:
  MaskedRanges() {
    pair("a", -1);
    pair("b", -1);
    measure("a", {-4, 6, 50});  // 50 is masked in every sample
    measure("b", {0, -10000});
    measure("c", {-4, 6, -9950, -10004});  // bins of 4: the numbers that are not masked reach from -8 to 6
    plan_.masked_sums = {{value("c"), value("a"), value("b")}};
  }
  [[nodiscard]] std::map<ValueId, Range> ranges() const {
    const auto calibrator = make_calibrator("max");
    return choose_ranges(plan_, calibration_, {model_.graph(), *calibrator, overrides_, RangeKind::Asymmetric, 1});
  }
};

TEST_F(MaskedRanges, FollowTheScoresThatAreNotMasked) {
  const auto found = ranges();
  EXPECT_EQ(found.at(value("a")), (Range{-4, 6}));
  EXPECT_EQ(found.at(value("c")), (Range{-14, 6})) << "10 below the scores";
  EXPECT_EQ(found.at(value("b")), (Range{-64, 0})) << "from the largest score, 50, to -14";
}

TEST_F(MaskedRanges, AreThoseOfTheSumWithoutTheRule) {
  plan_.masked_sums.clear();
  const auto found = ranges();
  EXPECT_EQ(found.at(value("a")), (Range{-4, 50}));
  EXPECT_EQ(found.at(value("c")), (Range{-10004, 6}));
}

TEST_F(MaskedRanges, LeaveTheUsersRangeAlone) {
  overrides_["c"] = {nullptr, {-100, 6}, 0};
  EXPECT_EQ(ranges().at(value("c")), (Range{-100, 6}));
  EXPECT_EQ(ranges().at(value("a")), (Range{-4, 50}));
}

TEST_F(ChooseRanges, RefusesACalibratorOfSamplesWhereNoneAreKnown) {
  const Error error = error_of<Error>([&] { static_cast<void>(range("a", RangeKind::Symmetric, "samplemax")); });
  EXPECT_EQ(error.code(), ErrorCode::TableMismatch);
  EXPECT_NE(error.hint().find("calibrate again"), std::string::npos);
}

TEST_F(ChooseRanges, TakesAnOverrideForAllThatShareTheScale) {
  fix("a", {0, 1});
  overrides_["b"] = {nullptr, {-5, 6}};
  EXPECT_EQ(range("a"), (Range{-5, 6}));
  EXPECT_EQ(range("c"), (Range{-2, 9}));
}

TEST_F(ChooseRanges, CutsAMeasuredRangeToItsLimitButNotTheUsersRange) {
  limit("c", Range{0, 6});
  EXPECT_EQ(range("c"), (Range{0, 6}));
  overrides_["c"] = {make_calibrator("max"), {}};
  EXPECT_EQ(range("c"), (Range{0, 6}));
  overrides_["c"] = {nullptr, {-1, 8}};
  EXPECT_EQ(range("c"), (Range{-1, 8}));
}

TEST_F(ChooseRanges, CutsTheRangeOfAGroupWhereEveryMemberHasALimit) {
  measure("a", {-1, 6.5F});
  limit("b", Range{0, 4});
  EXPECT_EQ(range("a"), (Range{-1, 6.5F}));
  limit("a", Range{0, 6});
  EXPECT_EQ(range("a"), (Range{0, 6}));
}

TEST_F(ChooseRanges, TakesTheFixedRangeUnlessTheUserWantsAnother) {
  fix("c", {0, 1});
  EXPECT_EQ(range("c"), (Range{0, 1}));
  overrides_["c"] = {make_calibrator("max"), {}};
  EXPECT_EQ(range("c"), (Range{-2, 9}));
  overrides_["c"] = {nullptr, {-4, 4}};
  EXPECT_EQ(range("c"), (Range{-4, 4}));
}

TEST_F(ChooseRanges, WidensTheRangeOfAGroupToTheFixedRangeOfAMember) {
  measure("a", {-1, 6.5F});
  fix("a", {-8, 1});  // measurements of a do not count
  EXPECT_EQ(range("b"), (Range{-8, 3}));
}

TEST_F(ChooseRanges, NeedsNoDataWhereEveryRangeIsFixed) {
  fix("a", {0, 1}), fix("b", {0, 2}), fix("c", {0, 1});
  calibration_.histograms.clear();
  EXPECT_EQ(range("a"), (Range{0, 2}));
}

/// Sample "odd" is clipped; it has the largest numbers everywhere. Ranges end where the other samples do.
class ClippedSamples : public ChooseRanges {
 protected:
  ClippedSamples() {
    clipped_ = {"odd"};
    calibration_.sample_names = {"first", "odd", "second"};
    reach("a", {{-1, 0.5F}, {-4, 2}, {-0.5F, 0.75F}});
    reach("b", {{0, 3}, {0, 8}, {0.25F, 2.5F}});
    reach("c", {{-2, 9}, {-3, 40}, {-1, 7}});
  }
  void reach(const char* name, const std::vector<Extremes>& samples) {
    std::vector<float> values;
    for (const Extremes& sample : samples) values.insert(values.end(), {sample.min, sample.max});
    measure(name, values);
    calibration_.extremes[value(name)] = samples;
  }
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
  pair("k", 0);
  calibration_.histograms[value("k")].add(std::vector<float>{-6, 1, 2});
  EXPECT_EQ(range("a"), (Range{-6, 3}));
  EXPECT_EQ(range("b", RangeKind::Symmetric), (Range{-6, 6}));
}

TEST_F(ClippedSamples, DoNotWidenARangeThatEndsBefore) {
  limit("c", Range{0, 6});
  EXPECT_EQ(range("c"), (Range{0, 6}));
  clipped_ = {"second"};  // has the largest numbers nowhere
  limit("c", std::nullopt);
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
  fix("c", {0, 50}), fix("a", {-5, 1});
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
  calibration_.given[value("c")] = range_of_scale(0.5F);
  calibration_.histograms.erase(value("c"));
  calibration_.extremes.erase(value("c"));
  EXPECT_EQ(range("c"), (Range{-63.5F, 63.5F, 0.5F}));
}

TEST_F(ClippedSamples, DoNotCutGivenRangesOfAGroupWhichAreJoined) {
  calibration_.given = {{value("a"), {-5, 1}}, {value("b"), {-1, 9}}};
  EXPECT_EQ(range("a"), (Range{-5, 9}));
  calibration_.given[value("b")] = range_of_scale(0.5F);
  EXPECT_EQ(range("a"), range_of_scale(0.5F)) << "covers the other, and stays as it is";
}

TEST_F(ClippedSamples, DoNotCutWhereTheOthersSayNothing) {
  reach("c", {{0, 0}, {-3, 40}, {0, 0}});
  EXPECT_EQ(range("c"), (Range{-3, 40})) << "a range of width 0 serves no sample";
  clipped_ = {"first", "odd", "second"};
  EXPECT_EQ(range("b"), (Range{-4, 8}));
}

}  // namespace
}  // namespace detent
