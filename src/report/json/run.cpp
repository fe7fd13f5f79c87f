#include "report/json/json.h"
#include "report/json/json_parts.h"

namespace detent {

namespace {

Json profile_json(const ProfileReport& profile) {
  Json nodes = Json::array();
  for (const ProfileReport::Line& line : profile.nodes)
    nodes.push_back({{"node", line.node}, {"op", line.op}, {"ms", number(line.ms)}});
  Json json{{"samples", profile.samples}, {"total_ms", number(profile.total_ms)}, {"nodes", nodes}};
  if (const auto& collecting = profile.collecting)
    json["collecting"] = {{"target", collecting->target},
                          {"values", collecting->values},
                          {"total_ms", number(collecting->total_ms)},
                          {"collector_ms", number(collecting->collector_ms)}};
  return json;
}

}  // namespace

std::string to_json(const RunReport& report) {
  Json written = Json::array();
  for (const auto& path : report.written) written.push_back(path.string());
  return render("run", {{"model", report.model},
                        {"samples", report.samples},
                        {"skipped_samples", report.skipped_samples},
                        {"seconds", number(report.seconds)},
                        {"written", written},
                        {"profile", report.profile ? profile_json(*report.profile) : Json(nullptr)}});
}

}  // namespace detent
