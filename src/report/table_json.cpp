#include <nlohmann/json.hpp>

#include "report/json.h"

namespace detent {

namespace {

using Json = nlohmann::ordered_json;

Json describe(const TableReport::Value& value) {
  Json json{{"name", value.name}, {"count", value.count},           {"zeros", value.zeros},
            {"nans", value.nans}, {"infinities", value.infinities}, {"min", value.min},
            {"max", value.max},   {"log2_width", value.log2_width}, {"bins_in_use", value.bins_in_use}};
  if (value.scale) json["scale"] = *value.scale;
  return json;
}

std::string render(const Json& document) { return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

std::string to_json(const TableReport& report) {
  Json values = Json::array();
  for (const auto& value : report.values) values.push_back(describe(value));
  return render({{"table", report.table},
                 {"model_fingerprint", report.model_fingerprint},
                 {"samples", report.samples.size()},
                 {"shards", report.shards},
                 {"partial", report.partial},
                 {"targets", report.targets},
                 {"tools", report.tools},
                 {"instruction_sets", report.instruction_sets},
                 {"sample_names", report.samples},
                 {"values", values}});
}

std::string to_json(const DistributionReport& report) {
  Json json = describe(report.value);
  json["rows"] = Json::array();
  for (const auto& row : report.rows)
    json["rows"].push_back({{"low", row.low}, {"high", row.high}, {"count", row.count}});
  return render(json);
}

}  // namespace detent
