#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "detent/quantize_weights.h"
#include "report/html/dangling_reference.h"
#include "report/html/nesting_fault.h"
#include "report/html/page.h"
#include "report/text/text.h"

namespace detent {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

QuantizeWeightsReport two_weights() {
  QuantizeWeightsReport report;
  report.model = "folder/net.onnx", report.output = "out.onnx", report.target = "tensorrt:10.13";
  report.layers = {{"embed", "Gather", false, "engines take weights alone in MatMul and Gemm only", 100, 0},
                   {"fine", "MatMul", true, "codes", 4000, 25},
                   {"coarse", "MatMul", true, "codes", 2000, 17.5}};
  report.weight_bytes = 937, report.float_weight_bytes = 12000;
  report.model_bytes = 30000, report.output_bytes = 5000;
  report.rounding = {{15.25, 19.5, true, {}, 48, 2}, 2};
  report.provenance = {
      .producer = "detent 0.1.0", .target = "tensorrt:10.13", .samples = 48, .options = "weight-only=int4"};
  return report;
}

TEST(WeightsPage, ListsWhatLostMostFirstAndFloatLayersLast) {
  const std::string section = to_html(two_weights());
  EXPECT_THAT(section, HasSubstr("2 of 3 weighted layers as INT4 in blocks of 32: 12.0 kB → 937 B"));
  EXPECT_THAT(section, HasSubstr("Rounding by GPTQ: 2 layers, mean SQNR 15.25 → 19.50 dB, kept (48 samples, 2.0 s)"));
  EXPECT_LT(section.find("<code>coarse"), section.find("<code>fine"));
  EXPECT_LT(section.find("<code>fine"), section.find("<code>embed"));
  EXPECT_THAT(section, HasSubstr("engines take weights alone")) << "a float layer has its reason";
}

TEST(WeightsPage, NamesEmbeddingsPositionsAndMasks) {
  QuantizeWeightsReport report = two_weights();
  EXPECT_THAT(to_html(report), Not(HasSubstr("mbeddings")));
  report.tables = {{"words", "Gather", true, "one scale a column", 32000, 42.75, 8000, 64000},
                   {"mask", "Add", true, "one scale", 1024, std::numeric_limits<double>::infinity(), 1029, 2048},
                   {"bias", "Add", false, "small numbers", 1024, 0, 0}};
  const std::string page = to_html(report);
  EXPECT_THAT(page, HasSubstr("Embeddings, positions and masks: 2 of 3 large constants as INT8, 1 exactly: "
                              "66.0 kB → 9.0 kB"));
  EXPECT_THAT(page, HasSubstr(">42.75 dB<"));
  EXPECT_THAT(page, HasSubstr(">exact<"));
  EXPECT_THAT(page, HasSubstr("kept float: small numbers"));
  const std::string text = to_text(report);
  EXPECT_THAT(text, HasSubstr("embeddings, positions and masks: 2 of 3 large constants as INT8, 1 exactly: "
                              "66.0 kB -> 9.0 kB\n"));
  EXPECT_THAT(text, ContainsRegex("words \\(Gather\\) +42.75 dB +32000 +8.0 kB"));
  EXPECT_THAT(text, HasSubstr("bias (Add)  kept float: small numbers"));
}

TEST(WeightsPage, GivesTheSizeThatTheModelHadInItsOwnType) {
  EXPECT_THAT(to_text(two_weights()), HasSubstr("as INT4 in blocks of 32: 12.0 kB -> 937 B\n"))
      << "two bytes an element";
  EXPECT_THAT(to_html(two_weights()), HasSubstr("float 12.0 kB"));
}

TEST(WeightsPage, SaysWhereCodesAreTheNearestOnes) {
  QuantizeWeightsReport report = two_weights();
  report.rounding.reset();
  EXPECT_THAT(to_html(report), HasSubstr("Codes are the nearest ones: there was no data"));
  report.rounding = QuantizeWeightsReport::Rounding{{.reason = "fewer than 8 samples"}};
  EXPECT_THAT(to_text(report), HasSubstr("rounding by GPTQ: not done: fewer than 8 samples\n"));
}

TEST(WeightsPage, IsOnePageWithoutWhatOnlyActivationsHave) {
  QuantizeWeightsReport report = two_weights();
  report.layers[1].name = kHostile;
  const std::string page = to_html(report);
  EXPECT_EQ(nesting_fault(page), "");
  EXPECT_EQ(dangling_reference(page), "");
  EXPECT_THAT(page, Not(HasSubstr(kHostile)));
  EXPECT_THAT(page, HasSubstr("Rounded with"));
  EXPECT_THAT(page, Not(HasSubstr("Calibrator")));
  EXPECT_THAT(page, Not(HasSubstr("INT8"))) << "the codes are INT4";
  report.format.codes = WeightCodes::Int8;
  EXPECT_THAT(to_html(report), HasSubstr("INT8 in blocks of 32"));
}

}  // namespace
}  // namespace detent
