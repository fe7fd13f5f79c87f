#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/html/page.h"
#include "report/text/text.h"

namespace detent {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

ExplainReport::Layer quantizer(const std::string& name, double share, const std::string& cause) {
  ExplainReport::Layer layer{
      .name = name, .inputs = {"fp32"}, .arithmetic = "fp32", .output = "int8", .kind = "quantize"};
  layer.share = share, layer.cause = cause;
  return layer;
}

ExplainReport::Layer convolution(const std::string& name, double share) {
  ExplainReport::Layer layer{.name = name, .inputs = {"int8"}, .arithmetic = "int8", .output = "int8", .kind = "layer"};
  layer.share = share;
  return layer;
}

/// Two quantizers of one cause cost more together than the dearest layer.
ExplainReport two_quantizers() {
  ExplainReport report;
  report.form = "detailed";
  report.layers = {convolution("conv_a", 0.375), quantizer("q_1", 0.25, "add_1 has no pair in front of it"),
                   quantizer("q_2", 0.25, "add_2 has no pair in front of it"), convolution("conv_b", 0.125)};
  return report;
}

TEST(ExplainText, MergesLayersOfAlikeCausesTheDearestFirst) {
  EXPECT_THAT(
      to_text(two_quantizers()),
      HasSubstr("layers, those of the dearest cause first\n"
                "  q_1, q_2 (quantize: fp32 -> fp32 -> int8)  (50.0 % of the layers)  add_1 has no pair in front "
                "of it\n"
                "  conv_a (int8 -> int8 -> int8)  (37.5 % of the layers)\n"
                "  conv_b (int8 -> int8 -> int8)  (12.5 % of the layers)\n"))
      << "layers without a cause stand alone";
  EXPECT_THAT(to_text(two_quantizers(), Lists::All),
              AllOf(HasSubstr("  q_1 (quantize: "), HasSubstr("  q_2 (quantize: "), Not(HasSubstr("q_1, q_2"))));
}

TEST(ExplainText, NamesOneOfManyLayersOfAlikeCauses) {
  ExplainReport report = two_quantizers();
  report.layers.push_back(quantizer("q_3", 0.125, "add_3 has no pair in front of it"));
  EXPECT_THAT(to_text(report), AllOf(HasSubstr("  q_1 and 2 more (quantize: fp32 -> fp32 -> int8)  (62.5 % of the "),
                                     HasSubstr("--all lists everything\n")));
}

TEST(ExplainText, CountsLayersThatItLeavesOut) {
  ExplainReport report = two_quantizers();
  for (int i = 0; i < 20; ++i) report.layers.push_back(convolution("small_" + std::to_string(i), 0));
  EXPECT_THAT(to_text(report), AllOf(HasSubstr("small_8 (int8"), HasSubstr("  and 11 more layers\n")));
}

TEST(ExplainText, DoesNotMergeOtherCauses) {
  ExplainReport report = two_quantizers();
  report.layers[2].cause = "the network's input is fp32";
  EXPECT_THAT(to_text(report), AllOf(HasSubstr("  q_1 (quantize: "), HasSubstr("  q_2 (quantize: ")));
}

TEST(ExplainText, SaysWhereTheFileDoesNotTellTheCause) {
  ExplainReport report = two_quantizers();
  EXPECT_THAT(to_text(report), Not(HasSubstr("does not tell")));
  report.layers[1].cause = report.layers[2].cause = "";
  EXPECT_THAT(to_text(report),
              HasSubstr("  q_1, q_2 (quantize: fp32 -> fp32 -> int8)  (50.0 % of the layers)  the file "
                        "does not tell why\n"));
}

TEST(ExplainText, GivesTheDearestReasonsAndAllOfThemOnRequest) {
  ExplainReport report;
  EXPECT_THAT(to_text(report), HasSubstr("\nwhy slow, what to do first\n  nothing that the file tells"));
  for (const char* text : {"first", "second", "third", "fourth"})
    report.advice.push_back({"", text, "a cure", 1, 0.25});
  EXPECT_THAT(to_text(report), AllOf(HasSubstr("\n  1. 25.0 % in 1 layer: first. To do: a cure\n"), HasSubstr("third"),
                                     Not(HasSubstr("fourth")), Not(HasSubstr("nothing that the file tells"))));
  EXPECT_THAT(to_text(report, Lists::All), HasSubstr("  4. 25.0 % in 1 layer: fourth"));
  EXPECT_THAT(to_html(report), HasSubstr("fourth"));
}

TEST(ExplainText, CountsDifferencesThatItLeavesOut) {
  ExplainReport report;
  report.against.emplace();
  for (int i = 0; i < 20; ++i)
    report.against->differences.push_back(
        {{}, "l" + std::to_string(i), "o" + std::to_string(i), "int8", "fp16", {}, {}});
  EXPECT_THAT(to_text(report), AllOf(HasSubstr("  here   int8  l11\n        there  fp16  o11\n  and 8 more layers\n"),
                                     HasSubstr("--all lists everything\n")));
  EXPECT_THAT(to_text(report, Lists::All), AllOf(HasSubstr("l19"), Not(HasSubstr("more layers"))));
}

TEST(ExplainPage, DrawsABarForEachLayer) {
  const std::string page = to_html(two_quantizers());
  EXPECT_THAT(page, HasSubstr("<rect class=\"part\" width=\"100%\""));
  EXPECT_THAT(page, Not(HasSubstr("id=\"against\"")));
}

TEST(ExplainPage, HasNoColumnOfTimesWithoutAProfile) {
  ExplainReport report = two_quantizers();
  EXPECT_THAT(to_html(report), Not(HasSubstr(">ms</th>")));
  report.layers[0].ms = 0.5;
  EXPECT_THAT(to_html(report), AllOf(HasSubstr(">ms</th>"), HasSubstr(">0.5000</td>")));
}

}  // namespace
}  // namespace detent
