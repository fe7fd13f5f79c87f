#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "detent/detent.h"
#include "report/json/json.h"

namespace detent {
namespace {

using Document = nlohmann::json;

Document parsed(const auto& report) { return Document::parse(to_json(report)); }

/// Returns the keys of an object, sorted.
std::vector<std::string> keys(const Document& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

using Names = std::vector<std::string>;

TEST(QuantizeJson, OfAnEmptyReportHasEmptyListsAndNoVerdict) {
  const Document json = parsed(QuantizeReport{});
  for (const char* list :
       {"values", "float_layers", "notes", "outlier_samples", "blame", "verdict_reasons", "caveats", "cures"}) {
    ASSERT_TRUE(json.contains(list)) << list;
    EXPECT_EQ(json[list], Document::array()) << list;
  }
  EXPECT_TRUE(json.at("verdict").is_null());
  EXPECT_TRUE(json.at("error").is_null());
  for (const char* absent : {"auto", "equalize", "bound", "bias_correction"})
    EXPECT_FALSE(json.contains(absent)) << absent;
}

TEST(QuantizeJson, NamesTheVerdictAsTheTextDoes) {
  QuantizeReport report;
  for (const auto& [quality, name] : {std::pair(Quality::Good, "good"), std::pair(Quality::Doubtful, "doubtful"),
                                      std::pair(Quality::Broken, "broken")}) {
    report.verdict.quality = quality;
    EXPECT_EQ(parsed(report).at("verdict"), name);
  }
}

TEST(QuantizeJson, HasTheFieldsOfASearchByLatency) {
  QuantizeReport report;
  EXPECT_FALSE(parsed(report).contains("latency")) << "not asked";
  report.latency = LatencyReport{.chosen = LatencyChoice::Cast, .float_ms = 0.75, .noise = 0.01};
  report.latency->calls = {{"float", LatencyChoice::Float, 0.75, "", INFINITY, 2},
                           {"default", LatencyChoice::Default, std::nullopt, "no kernel", 21.5, 1}};
  report.latency->groups = {{"attention float", 4, 0.125, 0.01, true, "", {"--policy", "attention=float"}}};
  const Document latency = parsed(report)["latency"];
  EXPECT_EQ(latency["chosen"], "cast");
  EXPECT_EQ(latency["float_ms"], 0.75);
  EXPECT_TRUE(latency["default_ms"].is_null());
  EXPECT_EQ(latency["calls"][0], Document({{"what", "float"},
                                           {"file", "float"},
                                           {"ms", 0.75},
                                           {"refusal", ""},
                                           {"sqnr_db", nullptr},
                                           {"seconds", 2.0}}))
      << "exact";
  EXPECT_TRUE(latency["calls"][1]["ms"].is_null());
  EXPECT_EQ(latency["calls"][1]["refusal"], "no kernel");
  EXPECT_EQ(latency["groups"][0]["options"], Document::array({"--policy", "attention=float"}));
  EXPECT_EQ(keys(latency["machine"]), (Names{"batch", "device", "engine", "threads", "version"}));
}

TEST(CompareJson, HasTimesOnlyWithALatencyCommand) {
  CompareCalibratorsReport report;
  report.variants = {{{.name = "max"}}};
  const Document without = parsed(report);
  EXPECT_FALSE(without.contains("latency_command") || without.contains("float_latency"));
  EXPECT_FALSE(without["variants"][0].contains("latency"));
  report.latency_command = "onnxruntime", report.float_latency = ComparedLatency{2.5};
  report.variants[0].latency = ComparedLatency{{}, "no kernel"};
  const Document with = parsed(report);
  EXPECT_EQ(with["latency_command"], "onnxruntime");
  EXPECT_EQ(with["float_latency"], Document({{"ms", 2.5}, {"refusal", ""}}));
  EXPECT_EQ(with["variants"][0]["latency"], Document({{"ms", nullptr}, {"refusal", "no kernel"}}));
}

TEST(QuantizeJson, HasTheFieldsOfOutliersAndBlame) {
  QuantizeReport report;
  report.outliers.samples = {{"a.png", 49, 713, 64}};
  report.outliers.all = {report.outliers.samples[0], {"b.png", 1, 2, 3}};
  report.verdict.blame = {{"x", 12.5, 6.75}};
  const Document json = parsed(report);
  ASSERT_EQ(json["outlier_samples"].size(), 1U) << "only those that are unlike the others";
  EXPECT_EQ(keys(json["outlier_samples"][0]), (Names{"ratio", "sample", "values"}));
  EXPECT_EQ(json["outlier_samples"][0], Document({{"sample", "a.png"}, {"values", 49}, {"ratio", 713.0}}));
  EXPECT_EQ(json["blame"], Document::array({{{"value", "x"}, {"sqnr_db", 12.5}, {"sqnr_db_without", 6.75}}}));
}

TEST(QuantizeJson, HasTheFieldsOfTheProvenance) {
  QuantizeReport report;
  report.provenance = {"detent 0.1.0", "tensorrt:10.13", "mse", "12", 24, "34", "", "pytorch 2.1"};
  const Document provenance = parsed(report).at("provenance");
  EXPECT_EQ(keys(provenance), (Names{"calibrator", "options", "producer", "ranges", "sample_digest", "samples",
                                     "source_producer", "target"}));
  EXPECT_EQ(provenance["samples"], 24);
  EXPECT_EQ(provenance["options"], "");
}

TEST(CompareJson, HasOutliersAndProvenanceInTheSameForm) {
  CompareCalibratorsReport report;
  EXPECT_EQ(parsed(report).at("outlier_samples"), Document::array());
  report.outliers.samples = {{"a.png", 49, 713, 64}};
  report.provenance.producer = "detent 0.1.0";
  const Document json = parsed(report);
  EXPECT_EQ(keys(json["outlier_samples"][0]), (Names{"ratio", "sample", "values"}));
  EXPECT_EQ(keys(json["provenance"]), keys(parsed(QuantizeReport{}).at("provenance")));
  EXPECT_EQ(json["provenance"]["producer"], "detent 0.1.0");
}

TEST(TableJson, HasAnEmptyListOfOutliersWhereThereAreNone) {
  EXPECT_EQ(parsed(TableReport{}).at("outlier_samples"), Document::array());
}

}  // namespace
}  // namespace detent
