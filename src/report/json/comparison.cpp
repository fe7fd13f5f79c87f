#include "report/json/json.h"
#include "report/json/json_parts.h"

namespace detent {

std::string to_json(const ComparisonReport& report) {
  const auto metrics = [](const std::map<std::string, double>& values) {
    Json json = Json::object();
    for (const auto& [name, value] : values) json[name] = number(value);
    return json;
  };
  const auto described = [&](const char* key, const ComparisonReport::Variant& variant) {
    Json item{{key, variant.calibrator}};
    if (!variant.takes.empty()) item["takes"] = variant.takes;
    item["metrics"] = metrics(variant.metrics);
    item["score_error"] = number(variant.score_error);
    item["outputs"] = output_errors_json(variant.outputs);
    item["size_bytes"] = variant.size_bytes;
    item["seconds"] = variant.seconds;
    return item;
  };
  Json variants = Json::array(), baselines = Json::array();
  for (const auto& variant : report.variants) variants.push_back(described("calibrator", variant));
  for (const auto& baseline : report.baselines) baselines.push_back(described("float_type", baseline));
  return render({{"model", report.model},
                 {"target", report.target},
                 {"equalize", report.equalized ? equalization_json(*report.equalized) : Json(nullptr)},
                 {"calibration_samples", report.calibration_samples},
                 {"evaluation_samples", report.evaluation_samples},
                 {"skipped_samples", report.skipped_samples},
                 {"outlier_samples", outliers_json(report.outliers)},
                 {"fp32", metrics(report.fp32)},
                 {"baselines", baselines},
                 {"variants", variants},
                 {"winner", report.winner},
                 {"ties", report.ties},
                 {"criterion", report.criterion},
                 {"provenance", provenance_json(report.provenance)},
                 {"coverage", coverage_json(report.plan.coverage)},
                 {"float_types", report.plan.floats ? floats_json(*report.plan.floats) : Json(nullptr)},
                 {"calibration_seconds", report.calibration_seconds},
                 {"evaluation_seconds", report.evaluation_seconds}});
}

}  // namespace detent
