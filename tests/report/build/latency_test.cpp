#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "report/build/sections.h"
#include "report/html/document.h"
#include "report/html/page.h"
#include "report/text/text.h"

namespace detent {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Returns a search that found depthwise convolutions to be faster as float.
LatencyReport searched() {
  LatencyReport report{.command = "onnxruntime --threads 2",
                       .machine = {"onnxruntime", "1.30.0", "AMD EPYC", "2", "1"},
                       .chosen = LatencyChoice::Variant,
                       .chosen_what = "depthwise convolutions float",
                       .float_ms = 0.882,
                       .default_ms = 0.861,
                       .chosen_ms = 0.68,
                       .noise = 0.011,
                       .limit = "1 dB below the default's SQNR"};
  report.calls = {{"float", LatencyChoice::Float, 0.882, "", INFINITY, 5},
                  {"default", LatencyChoice::Default, 0.861, "", 30.25, 5.5},
                  {"depthwise convolutions float", LatencyChoice::Variant, 0.68, "", 30.5, 5}};
  report.groups = {
      {"depthwise convolutions float", 17, 0.21, 0.012, true, "", {"--policy", "exclude-op=Conv"}},
      {"int8 activations", 0, -0.04, 0.012, false, "", {}},
  };
  report.seconds = 93;
  return report;
}

std::string text_of(const LatencyReport& report) {
  Listing listing(Lists::Capped);
  return to_text(build::latency(report), listing);
}

QuantizeReport quantized(const LatencyReport& latency) {
  QuantizeReport report;
  report.model = "net.onnx", report.output = "out.onnx", report.target = "onnxruntime:1.30";
  report.error = ErrorReport{.samples = 8, .sqnr_db = 30.25};
  report.verdict.quality = Quality::Good;
  report.plan.coverage = {.layers = 2, .int8_layers = 1, .macs = 4, .int8_macs = 3};
  report.latency = latency;
  report.seconds = 100;
  return report;
}

/// Returns a search after which the float model was written.
LatencyReport float_chosen() {
  LatencyReport report = searched();
  report.chosen = LatencyChoice::Float, report.chosen_what = "float";
  report.float_ms = report.chosen_ms = 0.364, report.default_ms = 0.493;
  report.groups.clear();
  return report;
}

TEST(LatencySection, BeginsWithTheChoice) {
  EXPECT_THAT(text_of(searched()),
              StartsWith("\nchosen: variant (depthwise convolutions float), 0.680 ms, 1.30x the speed of float (0.882 "
                         "ms), default 0.861 ms; noise 1.1 %, 3 calls in 93.0 s\n"
                         "  timed by onnxruntime --threads 2 on AMD EPYC with onnxruntime 1.30.0, 2 threads, batch 1\n"
                         "  within 1 dB below the default's SQNR\n"));
}

TEST(LatencySection, ListsCallsAndMarksTheWrittenFile) {
  EXPECT_THAT(text_of(searched()), HasSubstr("\ncalls; * of the written file\n"
                                             "  File                             ms  Speed      SQNR  Call s\n"
                                             "  float                         0.882  1.00x     exact     5.0\n"
                                             "  default                       0.861  1.02x  30.25 dB     5.5\n"
                                             "* depthwise convolutions float  0.680  1.30x  30.50 dB     5.0\n"));
}

TEST(LatencySection, SaysWhyTheEngineRefusesAFile) {
  EXPECT_THAT(text_of(searched()), Not(HasSubstr("Refused")));
  LatencyReport report = searched();
  report.calls.push_back({"residual adds", LatencyChoice::Variant, std::nullopt, "no kernel for Add", 29.5, 1});
  report.calls.push_back({"attention", LatencyChoice::Variant, std::nullopt, "", std::nullopt, 1});
  const std::string text = text_of(report);
  EXPECT_THAT(text, HasSubstr("SQNR  Call s  Refused\n"));
  EXPECT_THAT(text, HasSubstr("  residual adds                     -      -  29.50 dB     1.0  no kernel for Add\n"));
  EXPECT_THAT(text, HasSubstr("  attention                         -      -         -     1.0  no reason\n"));
}

TEST(LatencySection, ListsPartsThatGainedAndLost) {
  EXPECT_THAT(text_of(searched()),
              HasSubstr("  Part                          Nodes          Gain  Options\n"
                        "* depthwise convolutions float     17  +21.0 % \u00B11.2  --policy exclude-op=Conv\n"
                        "  int8 activations                all   -4.0 % \u00B11.2\n"));
  LatencyReport report = searched();
  report.groups.push_back({"stage 4 float", 9, std::nullopt, 0, false, "not within 20 calls", {}});
  EXPECT_THAT(text_of(report),
              HasSubstr("  stage 4 float                     9             -                            "
                        "not within 20 calls\n"));
}

TEST(LatencySection, TellsWhatTheTableKnew) {
  LatencyReport report = searched();
  EXPECT_THAT(text_of(report), Not(HasSubstr("knew")));
  report.table = "table.json";
  EXPECT_THAT(text_of(report), HasSubstr("  table.json knew no network of this machine\n"));
  report.learned_networks = 2;
  EXPECT_THAT(text_of(report), HasSubstr("  table.json knew 2 networks of this machine\n"));
}

TEST(LatencySection, CountsFilesBeyondTheLimit) {
  LatencyReport report = searched();
  report.limit = "--max-drop 0.01", report.too_inaccurate = 3;
  EXPECT_THAT(text_of(report),
              HasSubstr("  within --max-drop 0.01; 3 other files beyond it, which the engine did not see\n"));
}

TEST(LatencySection, PlotsEveryFileThatHasBothNumbers) {
  LatencyReport report = searched();
  const std::string plot = html::section_markup(build::latency(report));
  EXPECT_THAT(plot, AllOf(HasSubstr("<title>default: 0.861 ms, 1.02\u00D7 the speed of float, 30.25\u00A0dB</title>"),
                          HasSubstr("class=\"after\""), HasSubstr(">written</text>"), HasSubstr(">exact</text>")));
  for (auto& call : report.calls) call.sqnr_db.reset();
  const std::string table = html::section_markup(build::latency(report));
  EXPECT_THAT(table, AllOf(Not(HasSubstr("<svg")), HasSubstr("id=\"latency-calls\""))) << "without data";
}

TEST(LatencySection, IsAbsentWithoutASearch) {
  EXPECT_TRUE(build::latency(std::nullopt).parts.empty());
  QuantizeReport report = quantized(searched());
  EXPECT_THAT(to_html(report), HasSubstr("id=\"latency\""));
  report.latency.reset();
  EXPECT_THAT(to_html(report), Not(HasSubstr("id=\"latency\"")));
  EXPECT_THAT(to_text(report), AllOf(Not(HasSubstr("float model")), Not(HasSubstr(" ms"))));
}

TEST(QuantizeText, SaysHowFastTheWrittenFileIs) {
  const std::string text = to_text(quantized(searched()));
  EXPECT_THAT(text, HasSubstr("0.680 ms with onnxruntime, 1.30x as fast as the float model\nwrote out.onnx "));
  EXPECT_THAT(text, HasSubstr("looking for the fastest file 93.0 s, "));
  EXPECT_THAT(text, StartsWith("net.onnx  ")) << "a file with pairs needs no warning";
}

TEST(QuantizeText, WarnsFirstOfAFileWithoutPairs) {
  const QuantizeReport report = quantized(float_chosen());
  const std::string warning =
      "written without pairs: the float model is the fastest file within the accuracy (0.364 ms; default INT8 0.493 "
      "ms)";
  const std::string text = to_text(report), page = to_html(report);
  EXPECT_THAT(text, StartsWith(warning + "\nnet.onnx  "));
  EXPECT_THAT(terminal_text(build::document_of(report), Lists::Capped).first, StartsWith(warning + "\nverdict: good"));
  EXPECT_EQ(text.find(warning), text.rfind(warning)) << "once";
  EXPECT_THAT(page, HasSubstr("<dd class=\"detail\">default INT8 0.493 ms</dd>"));
  EXPECT_THAT(page, HasSubstr("<header id=\"summary\"><p class=\"warning\">W" + warning.substr(1) + ".</p>"));
}

TEST(QuantizeText, IsOfTheFileWithoutPairsThatWasWritten) {
  QuantizeReport report = quantized(float_chosen());
  report.error.reset();  // nothing was rounded
  const std::string text = to_text(report);
  EXPECT_THAT(text, HasSubstr("error against FP32: none, this is the float model\n"));
  EXPECT_THAT(text, HasSubstr("wrote out.onnx (0 B), the float model without pairs, for onnxruntime:1.30"));
  EXPECT_THAT(to_text(quantized(searched())),
              AllOf(Not(HasSubstr("this is the float model")), Not(HasSubstr("without pairs"))));
}

TEST(QuantizeText, WarnsOfACastAndOfARefusedDefaultToo) {
  LatencyReport latency = float_chosen();
  latency.chosen = LatencyChoice::Cast, latency.chosen_what = "cast fp16", latency.chosen_ms = 0.25;
  EXPECT_THAT(to_text(quantized(latency)),
              AllOf(StartsWith("written without pairs: the model cast to 16-bit floats is the fastest file within the "
                               "accuracy (0.250 ms; float model 0.364 ms; default INT8 0.493 ms)\n"),
                    HasSubstr(", the model in 16-bit floats without pairs, for")));
  latency = float_chosen();
  latency.default_ms.reset(), latency.calls[1].ms.reset();
  EXPECT_THAT(to_text(quantized(latency)),
              StartsWith("written without pairs: the float model is the fastest file within "
                         "the accuracy (0.364 ms; onnxruntime refuses the default INT8 "
                         "file)\n"));
}

PlanReport forecast_plan() {
  PlanReport plan;
  plan.forecasts = {{"latency.json",
                     {"onnxruntime", "1.30.0", "AMD EPYC", "2", ""},
                     3,
                     {{"depthwise convolutions float", 17, 0.21, 0.03, 2}},
                     0.92,
                     0.05}};
  return plan;
}

TEST(PlanText, TellsWhatATableExpects) {
  EXPECT_THAT(to_text(forecast_plan()),
              HasSubstr("\non AMD EPYC with onnxruntime 1.30.0, 2 threads: INT8 is expected to take 0.92 \u00B10.05 of "
                        "the float model's time (latency.json, 3 networks)\n"
                        "\nparts, with the part of the INT8 file's time that each is expected to save as float\n"
                        "  Part                          Nodes          Gain  Networks\n"
                        "  depthwise convolutions float     17  +21.0 % \u00B13.0         2\n"));
  PlanReport plan = forecast_plan();
  plan.forecasts[0].ratio.reset();
  EXPECT_THAT(to_text(plan), AllOf(HasSubstr(": too few of these layers are known to tell the time of INT8 (latency."),
                                   Not(HasSubstr("expected to take"))));
  plan.forecasts.clear();
  EXPECT_THAT(to_text(plan), Not(HasSubstr("latency.json")));
}

TEST(PlanPage, NumbersTheTablesOfSeveralMachines) {
  PlanReport plan = forecast_plan();
  plan.forecasts.push_back(plan.forecasts[0]);
  EXPECT_THAT(to_html(plan), AllOf(HasSubstr("id=\"forecast-parts\""), HasSubstr("id=\"forecast-parts-2\"")));
}

}  // namespace
}  // namespace detent
