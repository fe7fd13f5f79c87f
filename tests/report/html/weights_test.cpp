#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "detent/quantize_weights.h"
#include "report/html/dangling_reference.h"
#include "report/html/nesting_fault.h"
#include "report/html/page.h"
#include "report/html/sections.h"
#include "report/text/text.h"

namespace detent {
namespace {

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
  const std::string section = html::weights_section(two_weights());
  EXPECT_THAT(section, HasSubstr("2 of 3 weighted layers as INT4 in blocks of 32."));
  EXPECT_THAT(section, HasSubstr("SQNR 15.25 dB with the nearest ones, 19.50 dB with these, kept."));
  EXPECT_LT(section.find("coarse"), section.find("fine"));
  EXPECT_LT(section.find("fine"), section.find("embed"));
  EXPECT_THAT(section, HasSubstr("engines take weights alone")) << "a float layer has its reason";
  EXPECT_EQ(html::weights_section({}), "") << "no layers";
}

TEST(WeightsPage, NamesEmbeddingsPositionsAndMasks) {
  QuantizeWeightsReport report = two_weights();
  EXPECT_THAT(html::weights_section(report), Not(HasSubstr("Embeddings")));
  report.tables = {{"words", "Gather", true, "one scale a column", 32000, 42.75, 8000, 64000},
                   {"mask", "Add", true, "one scale", 1024, std::numeric_limits<double>::infinity(), 1029, 2048},
                   {"bias", "Add", false, "small numbers", 1024, 0, 0}};
  const std::string section = html::weights_section(report);
  EXPECT_THAT(section, HasSubstr("Embeddings, positions and masks as 8-bit integers: "));
  EXPECT_THAT(section, HasSubstr("(42.8 dB)"));
  EXPECT_THAT(section, HasSubstr("(exact)"));
  EXPECT_THAT(section, HasSubstr("Kept float, since codes would lose small numbers: "));
  EXPECT_THAT(to_text(report), HasSubstr("embeddings, positions and masks: 2 of 3 large constants as INT8, 1 exactly: "
                                         "66.0 kB -> 9.0 kB (largest loss: 'words', SQNR 42.8 dB)\n"
                                         "kept float: bias (Add)  small numbers\n"));
}

TEST(WeightsPage, GivesTheSizeThatTheModelHadInItsOwnType) {
  EXPECT_THAT(to_text(two_weights()), HasSubstr("as INT4 in blocks of 32: 12.0 kB -> 937 B\n"))
      << "two bytes an element";
  EXPECT_THAT(to_html(two_weights()), HasSubstr("float 12.0 kB"));
}

TEST(WeightsPage, SaysWhereCodesAreTheNearestOnes) {
  QuantizeWeightsReport report = two_weights();
  report.rounding.reset();
  EXPECT_THAT(html::weights_section(report), HasSubstr("Codes are the nearest ones: there was no data."));
  report.rounding = QuantizeWeightsReport::Rounding{{.reason = "fewer than 8 samples"}};
  EXPECT_THAT(html::weights_section(report), HasSubstr("Codes are the nearest ones: fewer than 8 samples."));
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
