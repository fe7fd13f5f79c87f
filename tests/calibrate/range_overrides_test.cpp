#include "calibrate/range_overrides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "detent/base/error.h"
#include "model/model.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::HasSubstr;

/// Reads the overrides in a file of this text.
RangeOverrides read_text(const std::string& text) {
  const TemporaryFolder folder;
  const auto file = folder / "overrides.json";
  std::ofstream(file) << text;
  return read_overrides(file);
}

/// Returns message and hint of the error that `work` throws; its code must be InvalidOption.
template <class Work>
std::string refusal(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidOption) << error.what();
    return std::string(error.what()) + " | " + error.hint();
  }
  return "accepted";
}

std::string refused_text(const std::string& text) {
  return refusal([&] { static_cast<void>(read_text(text)); });
}

TEST(ReadOverrides, TakesACalibratorAnAmaxOrMinAndMax) {
  const RangeOverrides overrides = read_text(R"({"a": {"calibrator": "percentile:99.9"}, "b": {"amax": 1.5},
    "c": {"min": -1, "max": 2}, "d": {"max": 6, "min": 0}})");
  ASSERT_EQ(overrides.size(), 4U);
  ASSERT_TRUE(overrides.at("a").calibrator);
  EXPECT_EQ(overrides.at("a").calibrator->name(), "percentile:99.9");
  EXPECT_EQ(overrides.at("b").range, (Range{-1.5F, 1.5F}));
  EXPECT_EQ(overrides.at("c").range, (Range{-1, 2}));
  EXPECT_EQ(overrides.at("d").range, (Range{0, 6}));
  EXPECT_FALSE(overrides.at("d").calibrator);
}

TEST(ReadOverrides, AreNoneWithoutAFileOrInAnEmptyObject) {
  EXPECT_TRUE(read_overrides({}).empty());
  EXPECT_TRUE(read_text("{}").empty());
}

TEST(ReadOverrides, SayLineAndColumnOfTextThatIsNotJson) {
  const std::string message = refused_text("{\n  \"a\": {\"amax\": 1},\n  \"b\": {\"amax\": }\n}");
  EXPECT_THAT(message, HasSubstr("line 3"));
  EXPECT_THAT(message, HasSubstr(".json: "));
  EXPECT_THAT(refused_text(""), HasSubstr("ends in the middle, after 0 bytes"));
  EXPECT_THAT(refused_text(R"({"a": {"amax": NaN}})"), HasSubstr("line 1"));  // JSON has no NaN
}

TEST(ReadOverrides, RefuseAFileThatIsNotThere) {
  EXPECT_THAT(refusal([] { static_cast<void>(read_overrides("no/such/file.json")); }), HasSubstr("cannot be opened"));
}

TEST(ReadOverrides, RefuseAnythingButAnObjectOfObjects) {
  EXPECT_THAT(refused_text("[1]"), HasSubstr("object of value names"));
  EXPECT_THAT(refused_text(R"({"a": 1.5})"), HasSubstr("'a': {...} is expected, not 1.5"));
  EXPECT_THAT(refused_text(R"({"a": [{"amax": 1}]})"), HasSubstr("'a'"));
}

TEST(ReadOverrides, RefuseUnknownMissingAndContradictingKeys) {
  for (const char* entry : {R"({})", R"({"amx": 1})", R"({"min": -1})", R"({"max": 1})", R"({"amax": 1, "min": -1})",
                            R"({"calibrator": "max", "amax": 1})", R"({"amax": 1, "comment": "x"})"}) {
    const std::string message = refused_text(R"({"conv1": )" + std::string(entry) + "}");
    EXPECT_THAT(message, HasSubstr("'conv1': the keys are")) << entry;
    EXPECT_THAT(message, HasSubstr("| one of {\"calibrator\"")) << entry;
  }
}

TEST(ReadOverrides, RefuseANameOrKeyThatIsGivenTwice) {
  EXPECT_THAT(refused_text(R"({"a": {"amax": 1}, "a": {"amax": 2}})"), HasSubstr("\"a\" is given twice"));
  EXPECT_THAT(refused_text(R"({"a": {"amax": 1, "amax": 2}})"), HasSubstr("\"amax\" is given twice"));
  EXPECT_EQ(refused_text(R"({"a": {"amax": 1}, "b": {"amax": 2}})"), "accepted");
}

TEST(ReadOverrides, RefuseAnAmaxThatIsNoPositiveFloat) {
  EXPECT_THAT(refused_text(R"({"a": {"amax": -1}})"), HasSubstr("'a': \"amax\" is not greater than 0: -1"));
  EXPECT_THAT(refused_text(R"({"a": {"amax": 0}})"), HasSubstr("not greater than 0"));
  EXPECT_THAT(refused_text(R"({"a": {"amax": 1e60}})"), HasSubstr("too large"));
  EXPECT_THAT(refused_text(R"({"a": {"amax": 1e-60}})"), HasSubstr("not greater than 0"));
  EXPECT_THAT(refused_text(R"({"a": {"amax": "1.5"}})"), HasSubstr("not a number"));
  EXPECT_THAT(refused_text(R"({"a": {"amax": null}})"), HasSubstr("not a number"));
}

TEST(ReadOverrides, RefuseARangeThatIsEmptyOrLeavesOutZero) {
  EXPECT_THAT(refused_text(R"({"a": {"min": 0.5, "max": 2}})"), HasSubstr("does not contain 0"));
  EXPECT_THAT(refused_text(R"({"a": {"min": 2, "max": -1}})"), HasSubstr("does not contain 0"));
  EXPECT_THAT(refused_text(R"({"a": {"min": 0, "max": 0}})"), HasSubstr("empty"));
  EXPECT_THAT(refused_text(R"({"a": {"min": true, "max": 1}})"), HasSubstr("not a number"));
}

TEST(ReadOverrides, RefuseACalibratorThatIsUnknownOrMeasuresTheWholeModel) {
  for (const char* name : {"nosuch", "auto", "percentile:0.999", "max:3", ""})
    EXPECT_THAT(refused_text(R"({"a": {"calibrator": ")" + std::string(name) + "\"}}"), HasSubstr("'a': ")) << name;
  EXPECT_THAT(refused_text(R"({"a": {"calibrator": 3}})"), HasSubstr("not a text"));
}

/// r and s share a scale, conv_out has another one.
struct Planned {
  Model model = parse_model_text(R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[N, 3] r, float[N, 3] s) => (float[N, 6] y)
{ both = Concat <axis = 1> (r, s)  conv_out = Neg (both)  y = Relu (conv_out) })");
  PlacementPlan plan;

  Planned() {
    pair("r", 1);
    pair("s", 1);
    pair("conv_out", -1);
  }
  void pair(const char* value, int group) {
    plan.values[*model.graph().find_value(value)] = {.pair = true, .scale_group = group};
  }
  [[nodiscard]] std::string check(const std::string& text) const {
    const RangeOverrides overrides = read_text(text);
    return refusal([&] { check_overrides(overrides, model.graph(), plan); });
  }
};

TEST(CheckOverrides, NameTheNearestValuesForOneThatGetsNoPair) {
  const std::string message = Planned().check(R"({"conv_put": {"amax": 1}})");
  EXPECT_THAT(message, HasSubstr("names 'conv_put', which gets no pair"));
  EXPECT_THAT(message, HasSubstr("the nearest that do: 'conv_out'"));
}

TEST(CheckOverrides, RefuseAValueThatExistsButGetsNoPair) {
  EXPECT_THAT(Planned().check(R"({"both": {"amax": 1}})"), HasSubstr("'both', which gets no pair"));
}

TEST(CheckOverrides, RefuseDifferentRangesForOneScale) {
  EXPECT_THAT(Planned().check(R"({"r": {"amax": 1}, "s": {"amax": 2}})"),
              HasSubstr("'r' and 's' different ranges, but they share one scale"));
  EXPECT_THAT(Planned().check(R"({"r": {"amax": 1}, "s": {"calibrator": "max"}})"), HasSubstr("share one scale"));
  EXPECT_THAT(Planned().check(R"({"r": {"calibrator": "mse"}, "s": {"calibrator": "max"}})"),
              HasSubstr("share one scale"));
}

TEST(CheckOverrides, AcceptOneMemberOfAGroupOrBothAlike) {
  EXPECT_EQ(Planned().check(R"({"r": {"amax": 1}})"), "accepted");
  EXPECT_EQ(Planned().check(R"({"r": {"amax": 1}, "s": {"min": -1, "max": 1}})"), "accepted");
  EXPECT_EQ(Planned().check(R"({"r": {"calibrator": "max"}, "s": {"calibrator": "max"}})"), "accepted");
}

TEST(FindOverride, HoldsForAllThatShareTheScale) {
  const Planned planned;
  const Graph& graph = planned.model.graph();
  const RangeOverrides overrides = read_text(R"({"s": {"amax": 3}})");
  const std::vector<ValueId> group = {*graph.find_value("r"), *graph.find_value("s")};
  const RangeOverride* found = find_override(overrides, graph, group);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->range.max, 3);
  const std::vector<ValueId> other = {*graph.find_value("conv_out")};
  EXPECT_EQ(find_override(overrides, graph, other), nullptr);
}

TEST(FormatOverrides, WritesRangesThatAreReadWithAllTheirBits) {
  const std::map<std::string, Range> ranges{{"a", {-0.1F, 1.0F / 3}}, {"conv \"1\"", {0, 3.4e38F}}};
  const RangeOverrides read = read_text(format_overrides(ranges));
  ASSERT_EQ(read.size(), 2U);
  for (const auto& [name, range] : ranges) EXPECT_EQ(read.at(name).range, range) << name;
}

TEST(FormatOverrides, LeavesOutValuesWithoutARange) {
  EXPECT_TRUE(read_text(format_overrides({{"zeros", {0, 0}}})).empty());
}

TEST(ReadOverrides, TakeBitsAloneOrBesideARange) {
  const RangeOverrides overrides =
      read_text(R"({"a": {"bits": 16}, "b": {"bits": 16, "amax": 1.5}, "c": {"calibrator": "max", "bits": 16},
        "d": {"min": -1, "max": 2}})");
  EXPECT_EQ(wide_values(overrides), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_FALSE(overrides.at("a").chooses_range());
  EXPECT_TRUE(overrides.at("b").chooses_range());
  EXPECT_TRUE(overrides.at("c").chooses_range());
  EXPECT_EQ(overrides.at("d").bits, 0);
}

TEST(ReadOverrides, RefuseOtherBits) {
  for (const char* bits : {"8", "4", "\"16\"", "null"})
    EXPECT_THAT(refused_text(R"({"a": {"bits": )" + std::string(bits) + "}}"), HasSubstr("'a': \"bits\" is not 16"));
}

TEST(CheckOverrides, AcceptBitsOfOneMemberBesideARangeOfAnother) {
  EXPECT_EQ(Planned().check(R"({"r": {"bits": 16}, "s": {"amax": 2}})"), "accepted");
  EXPECT_THAT(Planned().check(R"({"both": {"bits": 16}})"), HasSubstr("'both', which gets no pair"));
}

TEST(FindOverride, PassesOverBitsAlone) {
  const Planned planned;
  const std::vector<ValueId> group = {*planned.model.graph().find_value("r"), *planned.model.graph().find_value("s")};
  const RangeOverrides overrides = read_text(R"({"r": {"bits": 16}, "s": {"amax": 3}})");
  ASSERT_NE(find_override(overrides, planned.model.graph(), group), nullptr);
  EXPECT_EQ(find_override(overrides, planned.model.graph(), group)->range.max, 3);
  EXPECT_EQ(find_override(read_text(R"({"r": {"bits": 16}})"), planned.model.graph(), group), nullptr);
}

}  // namespace
}  // namespace detent
