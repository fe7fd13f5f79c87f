#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "detent/detent.h"
#include "report/json/json.h"

namespace detent {
namespace {

using Json = nlohmann::ordered_json;

std::string schema_of(const auto& report) {
  const Json document = Json::parse(to_json(report));
  EXPECT_EQ(document.begin().key(), "schema") << "the first member";
  return document.begin().value();
}

TEST(JsonSchema, EveryKindOfDocumentHasItsOwnName) {
  const std::set<std::string> names = {
      schema_of(ModelReport{}),          schema_of(TableReport{}),
      schema_of(DistributionReport{}),   schema_of(PlanReport{}),
      schema_of(LintReport{}),           schema_of(RepairReport{}),
      schema_of(ExplainReport{}),        schema_of(QuantizeReport{}),
      schema_of(CastReport{}),           schema_of(QuantizeWeightsReport{}),
      schema_of(VerifyReport{}),         schema_of(CompareTypesReport{}),
      schema_of(CompareTargetsReport{}), schema_of(CompareCalibratorsReport{}),
      schema_of(SensitivityReport{}),    schema_of(RunReport{}),
      schema_of(CacheExportReport{}),    schema_of(CacheImportReport{}),
  };
  EXPECT_EQ(names.size(), 18U);
  for (const std::string& name : names) EXPECT_TRUE(name.starts_with("urn:detent:")) << name;
}

TEST(JsonSchema, MembersFollowInTheirOrder) {
  EXPECT_EQ(to_json(CacheExportReport{.table = "t", .scales = 3}),
            "{\n  \"schema\": \"" + schema_of(CacheExportReport{}) +
                "\",\n  \"table\": \"t\",\n  \"output\": \"\",\n  \"target\": \"\",\n  \"calibrator\": \"\",\n  "
                "\"scales\": 3\n}\n");
}

TEST(JsonSchema, BytesThatAreNotUtf8BecomeTheReplacementCharacter) {
  EXPECT_NE(to_json(CacheExportReport{.table = "a\xff"}).find("a\xef\xbf\xbd"), std::string::npos);
}

TEST(JsonSchema, NumbersThatAreNotFiniteAreNull) {
  SensitivityReport report;
  for (const double infinite : {INFINITY, -INFINITY, NAN}) {
    report.sqnr_db_all = infinite;
    EXPECT_TRUE(Json::parse(to_json(report)).at("sqnr_db_all").is_null());
  }
  report.sqnr_db_all = 12.5;
  EXPECT_EQ(Json::parse(to_json(report)).at("sqnr_db_all"), 12.5);
}

TEST(JsonSchema, ABlockIsACountOrTheWordChannel) {
  SensitivityReport report;
  EXPECT_TRUE(Json::parse(to_json(report)).at("weight_only").is_null());
  report.weights = WeightFormat{.block = 0};
  EXPECT_EQ(Json::parse(to_json(report))["weight_only"]["block"], "channel");
  report.weights->block = 32;
  EXPECT_EQ(Json::parse(to_json(report))["weight_only"]["block"], 32);
}

}  // namespace
}  // namespace detent
