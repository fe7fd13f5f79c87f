#include "report/compared_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "report/build/compared.h"
#include "report/html/nesting_fault.h"
#include "report/html/page.h"
#include "report/json/json.h"
#include "report/judged_by_top1.h"
#include "report/text/text.h"

namespace detent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Returns a comparison: INT8 has 300 of 1000 bytes and loses 0.5 points, INT4 has 200 and loses 2.
CompareTypesReport two_types() {
  auto report = judged_by_top1<CompareTypesReport>(64, 100);
  report.variants = {{{.name = "int8", .metrics = {{"top1", 0.785}, {"sqnr_db", 25}}, .size_bytes = 300},
                      "mse",
                      {4, 3, 5, {{"float", 40}, {"int8", 160}}, {}, false}},
                     {{.name = "int4", .metrics = {{"top1", 0.77}, {"sqnr_db", 18}}, .size_bytes = 200},
                      "",
                      {4, 2, 0, {{"float", 25}, {"int4", 75}}, 32, true}}};
  report.winner = "int8";
  report.model_bytes = 1000, report.weight_bytes = 800;
  report.limit = TypeLimit{"--max-drop 0.01", false, "top1", {0.005, 0.02}, "int8"};
  return report;
}

std::string limit_text(const CompareTypesReport& report) { return document::plain_text(build::limit_words(report)); }

TEST(ComparedTypes, SharesAreOfAllBytesOfWeights) {
  const CompareTypesReport report = two_types();
  EXPECT_THAT(weight_types(report), ElementsAre("int8", "int4", "float"));
  const TypeFacts& int8 = report.variants[0].facts;
  EXPECT_EQ(weight_bytes(int8), 200U);
  EXPECT_DOUBLE_EQ(weight_share(int8, "int8"), 0.8);
  EXPECT_DOUBLE_EQ(weight_share(int8, "float"), 0.2);
  EXPECT_EQ(weight_share(int8, "int4"), 0);
  EXPECT_EQ(weight_share(TypeFacts{}, "int4"), 0) << "no weights";
}

TEST(ComparedTypes, TheTextEndsInTheSmallestWithinTheLimit) {
  const std::string text = to_text(two_types());
  EXPECT_THAT(text, HasSubstr("judged 2 types on 100 samples"));
  EXPECT_THAT(text, HasSubstr("* int8 (mse)  78.50 %  25.00 dB\n"));
  EXPECT_THAT(text,
              HasSubstr("  Type    File  /FP32  Weights  /FP32    int8    int4   float         Loss  How it was made\n"
                        "  FP32  1.0 kB  1.000    800 B  1.000                   100 %\n"
                        "* int8   300 B  0.300    200 B  0.250  80.0 %          20.0 %  0.50 points  3 of 4 weighted "
                        "layers, 5 pairs, calibrator mse\n"
                        "  int4   200 B  0.200    100 B  0.125          75.0 %  25.0 %  2.00 points  weights alone of "
                        "2 of 4 weighted layers, blocks of 32, rounded by GPTQ\n"));
  EXPECT_THAT(text, HasSubstr("* best by top-1: int8\n"));
  EXPECT_TRUE(
      text.ends_with("smallest within --max-drop 0.01 (the default): int8, which loses 0.50 points of top-1; its "
                     "file has 0.300 of the size of FP32, its weights 0.250\n"))
      << text;
  EXPECT_THAT(text, Not(HasSubstr("--calibrator"))) << "there is no option that takes a type";
}

TEST(ComparedTypes, SaysWhichComesClosestWhereNoneIsWithinTheLimit) {
  CompareTypesReport report = two_types();
  report.limit->option = "--max-drop 0.001", report.limit->given = true, report.limit->smallest = "";
  EXPECT_EQ(limit_text(report),
            "no type is within --max-drop 0.001; the closest is int8, which loses 0.50 points of top-1");
  report.limit->metric = "sqnr_db", report.limit->option = "--min-sqnr 30", report.limit->losses = {25, 18};
  EXPECT_EQ(limit_text(report), "no type is within --min-sqnr 30; the closest is int8, which has 25.00 dB");
  report.limit->losses = {std::numeric_limits<double>::quiet_NaN(), 18};
  EXPECT_THAT(limit_text(report), HasSubstr("the closest is int4")) << "what was not measured is not close";
  report.variants[1].facts.quantized_layers = 0;
  report.limit->losses = {12, 18};
  EXPECT_THAT(limit_text(report), HasSubstr("the closest is int8")) << "the float model is no type";
}

TEST(ComparedTypes, SaysNothingOfALimitWhereThereIsNone) {
  CompareTypesReport report = two_types();
  report.limit.reset();
  EXPECT_EQ(limit_text(report), "");
  EXPECT_THAT(to_text(report), Not(HasSubstr("within")));
}

TEST(ComparedTypes, JsonHasTypesWithTheirSharesAndTheLimit) {
  const auto json = nlohmann::json::parse(to_json(two_types()));
  const auto& int8 = json.at("variants").at(0);
  EXPECT_EQ(int8.at("type"), "int8");
  EXPECT_EQ(int8.at("calibrator"), "mse");
  EXPECT_EQ(int8.at("size_ratio"), 0.3);
  EXPECT_EQ(int8.at("weight_ratio"), 0.25);
  EXPECT_EQ(int8.at("weight_shares"), (nlohmann::json{{"float", 0.2}, {"int8", 0.8}}));
  EXPECT_FALSE(int8.contains("block"));
  const auto& int4 = json.at("variants").at(1);
  EXPECT_TRUE(int4.at("calibrator").is_null());
  EXPECT_EQ(int4.at("block"), 32);
  EXPECT_EQ(int4.at("rounding"), "inputs");
  EXPECT_EQ(json.at("types").at("smallest"), "int8");
  EXPECT_EQ(json.at("types").at("losses").at("int4"), 0.02);
}

TEST(ComparedTypes, ThePageHasARowATypeAndTheSentence) {
  const std::string page = to_html(two_types());
  EXPECT_EQ(nesting_fault(page), "");
  EXPECT_THAT(page, HasSubstr("comparison of types"));
  EXPECT_THAT(page, HasSubstr("Smallest within --max-drop 0.01 (the default): int8, which loses 0.50 points of top-1"));
  EXPECT_THAT(page, HasSubstr(">int4</th>"));
  EXPECT_THAT(page, HasSubstr("int8 <span class=\"badge\">smallest</span>"));
  EXPECT_THAT(page, HasSubstr("weights alone of 2 of 4 weighted layers"));
  EXPECT_THAT(page, Not(HasSubstr("Comparison of calibrators")));
  EXPECT_THAT(page, Not(HasSubstr("id=\"coverage\""))) << "it differs by type";
}

}  // namespace
}  // namespace detent
