#include "report/json/json.h"
#include "report/json/json_parts.h"

namespace detent {

std::string to_json(const SensitivityReport& report) {
  const auto layers = [&](const std::vector<SensitivityReport::Layer>& list) {
    Json array = Json::array();
    for (const auto& layer : list) {
      array.push_back({{"name", layer.name},
                       {"op", layer.op},
                       {"sqnr_db_alone", number(layer.sqnr_db_alone)},
                       {"sqnr_db_all_but", number(layer.sqnr_db_all_but)},
                       {report.weights ? "weight_share" : "mac_share", number(layer.macs_share)},
                       {"output", layer.output}});
      if (!layer.nats_alone) continue;
      array.back()["nats_alone"] = number(layer.nats_alone);
      array.back()["nats_all_but"] = number(layer.nats_all_but);
    }
    return array;
  };
  const auto metrics = [](const std::map<std::string, double>& named) {
    Json json = Json::object();
    for (const auto& [name, value] : named) json[name] = number(value);
    return json;
  };
  Json values = Json::array();
  for (const auto& value : report.values)
    values.push_back({{"name", value.value}, {metrics::kSqnr.name, number(value.sqnr_db)}});
  return render("sensitivity", {{"model", report.model},
                                {"target", report.target},
                                {"calibrator", report.weights ? Json(nullptr) : Json(report.calibrator)},
                                {"weight_only", report.weights ? weight_format_json(*report.weights) : Json(nullptr)},
                                {"equalize", report.equalized ? equalization_json(*report.equalized) : Json(nullptr)},
                                {"calibration_samples", report.calibration_samples},
                                {"evaluation_samples", report.evaluation_samples},
                                {"calibration_digest", report.calibration_digest},
                                {"evaluation_digest", report.evaluation_digest},
                                {"skipped_samples", report.skipped_samples},
                                {"sqnr_db_all", number(report.sqnr_db_all)},
                                {"fp32", metrics(report.fp32)},
                                {"all", metrics(report.all)},
                                {"outputs", output_errors_json(report.outputs)},
                                {"layers", layers(report.layers)},
                                {"operators", layers(report.operators)},
                                {"values", values},
                                {"variants", report.variants},
                                {"plain_runs", number(report.plain_runs)},
                                {"seconds", report.seconds}});
}

}  // namespace detent
