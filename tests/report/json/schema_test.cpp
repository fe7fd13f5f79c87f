#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "report/json/json.h"
#include "report/json/json_parts.h"

namespace detent {
namespace {

std::string schema_of(const auto& report) {
  const Json document = Json::parse(to_json(report));
  EXPECT_EQ(document.begin().key(), "schema") << "the first member";
  return document.begin().value();
}

ComparisonReport types() {
  ComparisonReport report;
  report.types.emplace();
  return report;
}

const std::filesystem::path kFolder = std::filesystem::path(DETENT_SOURCE_DIR) / "src/report/json/schemas";

TEST(JsonSchema, EveryKindOfDocumentNamesAFileThatHasTheName) {
  const std::vector<std::string> named = {
      schema_of(ModelReport{}),        schema_of(TableReport{}),
      schema_of(DistributionReport{}), schema_of(PlanReport{}),
      schema_of(LintReport{}),         schema_of(QuantizeReport{}),
      schema_of(CastReport{}),         schema_of(QuantizeWeightsReport{}),
      schema_of(VerifyReport{}),       schema_of(types()),
      schema_of(ComparisonReport{}),   schema_of(SensitivityReport{}),
      schema_of(RunReport{}),          schema_of(CacheExportReport{}),
      schema_of(CacheImportReport{}),
  };
  std::set<std::string> files = {"parts.schema.json"};
  for (const std::string& name : named) {
    const size_t from = std::string("urn:detent:").size();
    const std::string file = name.substr(from, name.rfind(':') - from) + ".schema.json";
    std::ifstream stream(kFolder / file);
    ASSERT_TRUE(stream) << file;
    EXPECT_EQ(Json::parse(stream).at("$id"), name) << file;
    EXPECT_TRUE(files.insert(file).second) << name << ": two reports have it";
  }
  for (const auto& entry : std::filesystem::directory_iterator(kFolder))
    EXPECT_EQ(files.count(entry.path().filename().string()), 1U) << entry.path() << ": no report has it";
}

TEST(JsonSchema, MembersFollowInTheirOrder) {
  EXPECT_EQ(
      render("kind", {{"z", 1}, {"a", nullptr}}),
      "{\n  \"schema\": \"urn:detent:kind:" + std::string(kSchemaVersion) + "\",\n  \"z\": 1,\n  \"a\": null\n}\n");
}

TEST(JsonSchema, BytesThatAreNotUtf8BecomeTheReplacementCharacter) {
  EXPECT_NE(render("kind", {{"name", "a\xff"}}).find("a\xef\xbf\xbd"), std::string::npos);
}

}  // namespace
}  // namespace detent
