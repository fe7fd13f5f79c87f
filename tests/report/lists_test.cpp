// Tests lists in texts: similar lines become one, and nothing is lost.
#include "report/lists.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/json/json.h"
#include "report/text/text.h"

namespace detent {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(PatternOf, LeavesOutNamesAndInputNumbersAlone) {
  EXPECT_EQ(pattern_of("its input 12 comes from Slice 'a'"), "its input ... comes from Slice '...'");
  EXPECT_EQ(pattern_of("'a': 3 of 32 channels are"), "'...': ... channels are");
  EXPECT_EQ(pattern_of("3 of 32 layers"), "3 of 32 layers");
  EXPECT_EQ(pattern_of("3 of channels, 32 channels"), "3 of channels, 32 channels");
  EXPECT_EQ(pattern_of("INT8 costs 1.2 dB"), "INT8 costs 1.2 dB");
  EXPECT_EQ(pattern_of("TensorRT's INT8 is symmetric in 'x'"), "TensorRT's INT8 is symmetric in '...'");
  EXPECT_EQ(pattern_of("an open 'quote"), "an open 'quote");
  EXPECT_EQ(pattern_of(""), "");
}

TEST(Listing, NamesTheFirstThreeAndCountsTheOthers) {
  Listing listing(Lists::Capped);
  EXPECT_EQ(listing.names({}), "");
  EXPECT_EQ(listing.names({"a", "b", "c", "d"}), "a, b, c, d") << "one is never left out alone";
  EXPECT_EQ(listing.closing(), "") << "nothing was left out so far";
  EXPECT_EQ(listing.names({"a", "b", "c", "d", "e"}), "a, b, c and 2 more");
  EXPECT_EQ(listing.closing(), "--all lists everything\n");
}

TEST(Listing, LeavesNothingOutWhereAllAreAskedFor) {
  Listing listing(Lists::All);
  EXPECT_EQ(listing.names({"a", "b", "c", "d", "e"}), "a, b, c, d, e");
  EXPECT_EQ(listing.shown(100, 3), 100U);
  EXPECT_THAT(listing.groups({"x", "x"}), ElementsAre(ElementsAre(0), ElementsAre(1)));
  EXPECT_THAT(listing.sentences({"of 'a'", "of 'b'"}), ElementsAre("of 'a'", "of 'b'"));
  EXPECT_EQ(listing.closing(), "");
}

TEST(Listing, SaysASentenceOncePerPattern) {
  Listing listing(Lists::Capped);
  EXPECT_THAT(listing.groups({"x", "y", "x"}), ElementsAre(ElementsAre(0, 2), ElementsAre(1)));
  EXPECT_THAT(listing.sentences({"of 'a'", "other", "of 'b'"}), ElementsAre("of 'a' (2 like this)", "other"));
}

/// Returns a plan of twelve INT8 layers of one kind and two float ones with different costs.
PlanReport long_plan() {
  PlanReport plan;
  plan.model = "net.onnx", plan.target = "tensorrt:10.13";
  for (int i = 0; i < 12; ++i) {
    const std::string name = "conv" + std::to_string(i);
    plan.layers.push_back({name, "Conv", Runs::Int8, "R1", "reads 'x" + std::to_string(i) + "'", 10, 5});
    plan.edges.push_back({"x" + std::to_string(i), name, "Conv", 0, Reads::Pair, std::nullopt, "R1", "data input"});
    plan.notes.push_back("Conv '" + name + "': does not fuse");
  }
  plan.layers.push_back({"head", "Gemm", Runs::Float, "R13", "INT8 costs 1.5 dB", 10, 5});
  plan.layers.push_back({"tail", "Gemm", Runs::Float, "R13", "INT8 costs 2.5 dB", 10, 5});
  return plan;
}

TEST(PlanText, SaysOnceWhatHoldsForManyLayersPairsAndNotes) {
  const std::string text = to_text(long_plan());
  EXPECT_THAT(text,
              AllOf(HasSubstr("  INT8  conv0, conv1, conv2 and 9 more (Conv)  R1: reads '...'\n"),
                    HasSubstr("  pair  x0 -> conv0, x1 -> conv1, x2 -> conv2 and 9 more (Conv, input 0)  R1: data"),
                    HasSubstr("note: Conv 'conv0': does not fuse (12 like this)\n"),
                    testing::EndsWith("--all lists everything\n")));
  EXPECT_THAT(text,
              AllOf(HasSubstr("head (Gemm)  R13: INT8 costs 1.5 dB"), HasSubstr("tail (Gemm)  R13: INT8 costs 2.5")))
      << "reasons that differ are no group";
  EXPECT_THAT(text, Not(HasSubstr("conv7")));
  EXPECT_LT(text.find("head (Gemm)"), text.find("conv0, conv1")) << "what stays float first";
}

TEST(PlanText, ListsEachWhereAllAreAskedForAndJsonAlwaysDoes) {
  const std::string text = to_text(long_plan(), Lists::All);
  EXPECT_THAT(text, AllOf(HasSubstr("conv7 (Conv)  R1: reads 'x7'"), HasSubstr("x7 -> conv7"),
                          HasSubstr("Conv 'conv7': does not fuse\n"), Not(HasSubstr("--all"))));
  EXPECT_THAT(to_json(long_plan()), AllOf(HasSubstr("\"conv7\""), HasSubstr("Conv 'conv7': does not fuse")));
}

TEST(QuantizeText, GroupsFloatLayersAndNotes) {
  QuantizeReport report;
  report.plan = long_plan();
  for (auto& layer : report.plan.layers) layer.runs = Runs::Float;
  report.notes = report.plan.notes;
  EXPECT_THAT(to_text(report), AllOf(HasSubstr("kept float: conv0, conv1, conv2 and 9 more (Conv)  R1: reads"),
                                     HasSubstr("kept float: tail (Gemm)  R13: INT8 costs 2.5 dB"),
                                     HasSubstr("note: Conv 'conv0': does not fuse (12 like this)\n"),
                                     HasSubstr("--all lists everything\nverdict")));
  EXPECT_THAT(to_text(report, Lists::All),
              AllOf(HasSubstr("kept float: conv7 (Conv)"), HasSubstr("'conv7': does"), Not(HasSubstr("--all"))));
}

LintReport long_lint() {
  LintReport report;
  report.plan = long_plan();
  report.origin = "qdq", report.codes = "UINT8 with zero points";
  for (int i = 0; i < 12; ++i)
    report.findings.push_back({"uint8-codes", "error", "q" + std::to_string(i),
                               "the pair on 'x" + std::to_string(i) + "' holds UINT8 codes", "quantize to INT8", 0.1});
  report.findings.push_back({"uint8-codes", "error", "other", "another message", "another cure", 0});
  return report;
}

TEST(LintText, ShowsOfEachKindAndMessageAnExampleItsCureAndTheCount) {
  const std::string text = to_text(long_lint());
  EXPECT_THAT(text,
              AllOf(HasSubstr("error  uint8-codes, 13 times\n  q0  (10.0 % of MACs)\n    the pair on 'x0' holds UINT8 "
                              "codes\n    cure: quantize to INT8\n  11 like this: q1, q2, q3 and 8 more\n"),
                    HasSubstr("  other\n    another message\n    cure: another cure\n"),
                    HasSubstr("13 errors, 0 warnings, 0 notes\nrules "), HasSubstr("\n--all lists everything\n")));
  EXPECT_THAT(text, Not(HasSubstr("q7")));
  EXPECT_THAT(to_text(long_lint(), Lists::All), AllOf(HasSubstr("the pair on 'x7' holds"), Not(HasSubstr("--all"))));
}

TEST(LintText, NamesANodeOnceWhateverItHas) {
  LintReport report;
  for (const char* node : {"cat", "cat", "cat"})
    report.findings.push_back({"concat-input-from-float", "note", node, "its input 0", "none", 0});
  EXPECT_THAT(to_text(report), HasSubstr("\n  2 like this there\n"));
  for (const char* node : {"other", "other"})
    report.findings.push_back({"concat-input-from-float", "note", node, "its input 0", "none", 0});
  EXPECT_THAT(to_text(report), HasSubstr("\n  4 like this at cat, other\n"));
  report.findings = {{"id", "note", "cat", "m", "c", 0}, {"id", "note", "other", "m", "c", 0}};
  EXPECT_THAT(to_text(report), HasSubstr("\n  1 like this: other\n"));
}

TEST(LintText, SaysWhatTheFileWasBuiltForOnlyWhereThatIsKnown) {
  LintReport report = long_lint();
  EXPECT_THAT(to_text(report), AllOf(HasSubstr("\nQ/DQ, UINT8 with zero points\n"), Not(HasSubstr("built for"))));
  report.built_for = "onnxruntime", report.following = 13;
  EXPECT_THAT(
      to_text(report),
      HasSubstr("\nbuilt for onnxruntime: UINT8 with zero points; 13 findings for tensorrt follow from that\n"));
  report.following = 12;
  EXPECT_THAT(to_text(report), HasSubstr("; 12 of 13 findings for tensorrt follow from that\n"));
}

}  // namespace
}  // namespace detent
