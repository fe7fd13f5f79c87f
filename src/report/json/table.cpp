#include "report/json/json.h"
#include "report/json/json_parts.h"

namespace detent {

namespace {

Json describe(const TableReport::Value& value) {
  Json json{{"name", value.name}, {"count", value.count},           {"zeros", value.zeros},
            {"nans", value.nans}, {"infinities", value.infinities}, {"min", value.min},
            {"max", value.max},   {"log2_width", value.log2_width}, {"bins_in_use", value.bins_in_use}};
  if (value.scale) json["scale"] = *value.scale;
  if (const auto& tokens = value.tokens)
    json["tokens"] = {{"first_amax", tokens->first},
                      {"median_amax", tokens->median},
                      {"p99_amax", tokens->p99},
                      {"others_amax", tokens->others},
                      {"channels", tokens->channels},
                      {"largest_channel", tokens->largest_channel},
                      {"median_channel_amax", tokens->median_channel},
                      {"wide_channels", tokens->wide_channels}};
  return json;
}

}  // namespace

std::string to_json(const TableReport& report) {
  Json values = Json::array();
  for (const auto& value : report.values) values.push_back(describe(value));
  return render("table", {{"table", report.table},
                          {"model_fingerprint", report.model_fingerprint},
                          {"samples", report.samples.size()},
                          {"shards", report.shards},
                          {"partial", report.partial},
                          {"missing_shards", report.missing_shards},
                          {"kept", report.kept},
                          {"targets", report.targets},
                          {"equalize", report.equalize.empty() ? Json(nullptr) : Json(report.equalize)},
                          {"equalized_values", report.equalized_values},
                          {"float_values", report.float_values},
                          {"tools", report.tools},
                          {"instruction_sets", report.instruction_sets},
                          {"sample_names", report.samples},
                          {"outlier_samples", outliers_json(report.outliers)},
                          {"values", values}});
}

std::string to_json(const DistributionReport& report) {
  Json json = describe(report.value);
  json["rows"] = Json::array();
  for (const auto& row : report.rows)
    json["rows"].push_back({{"low", row.low}, {"high", row.high}, {"count", row.count}});
  return render("distribution", json);
}

}  // namespace detent
