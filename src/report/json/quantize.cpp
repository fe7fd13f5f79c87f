
#include "report/json/json.h"
#include "report/json/json_parts.h"
#include "report/quantities.h"

namespace detent {

namespace {

Json measurement(const CalibratorMeasurement& measured) {
  Json candidates = Json::array();
  for (size_t i = 0; i < measured.candidates.size(); ++i) {
    const auto& candidate = measured.candidates[i];
    candidates.push_back({{"calibrator", candidate.calibrator},
                          {"score_db", number(candidate.score_db)},
                          {"regret_db", number(candidate.regret_db)},
                          {"metrics", error_metrics(candidate.error)},
                          {"winner", i == measured.winner}});
  }
  return {{"samples", measured.samples},
          {"seconds", measured.seconds},
          {"reason", choice_text(measured)},
          {"candidates", candidates}};
}

Json accuracy(const AccuracyReport& report) {
  Json steps = Json::array();
  for (const AccuracyReport::Step& step : report.steps)
    steps.push_back({{"name", step.name},
                     {"changed", step.changed},
                     {"sqnr_before_db", number(step.before_db)},
                     {"sqnr_after_db", number(step.after_db)},
                     {"kept", step.kept},
                     {"reason", step.reason},
                     {"samples", step.samples},
                     {"seconds", step.seconds}});
  return {{"level", report.level}, {"steps", steps}};
}

Json bias_correction(const BiasCorrectionReport& report) {
  return {{"layers", report.layers},
          {"kept", report.kept},
          {"reason", report.reason},
          {"sqnr_before_db", number(report.sqnr_before_db)},
          {"sqnr_after_db", number(report.sqnr_after_db)},
          {"samples", report.samples},
          {"seconds", report.seconds}};
}

Json saturation(const SaturationReport& report) {
  return {{"cpu", report.cpu == Cpu::Any ? "any" : "vnni"},
          {"layers", report.layers},
          {"channels", report.channels},
          {"raised_channels", report.raised},
          {"mean_factor", number(report.mean_factor)},
          {"unsafe_pairs", report.unsafe_pairs},
          {"unsafe_layers", report.unsafe_layers},
          {"error", report.error ? error_metrics(*report.error) : Json(nullptr)}};
}

}  // namespace

std::string to_json(const QuantizeReport& report) {
  Json values = Json::array();
  for (const auto& value : report.values) {
    Json item{{"name", value.name}};
    if (value.symmetric)
      item["amax"] = number(value.max);
    else
      item["min"] = number(value.min), item["max"] = number(value.max);
    item["scale"] = number(value.scale);
    item["zero_point"] = value.zero_point;
    item["group"] = value.group ? Json(*value.group) : Json(nullptr);
    values.push_back(item);
  }
  Json float_layers = Json::array();
  for (const auto& layer : report.plan.layers)
    if (!layer.int8) float_layers.push_back({{"name", layer.name}, {"reason", layer.reason}});
  Json json{{"model", report.model},     {"output", report.output},
            {"target", report.target},   {"calibrator", report.calibrator},
            {"samples", report.samples}, {"skipped_samples", report.skipped_samples},
            {"values", values},          {"coverage", coverage_json(report.plan.coverage)}};
  json["accuracy"] = accuracy(report.accuracy);
  if (report.measured) json["auto"] = measurement(*report.measured);
  if (report.equalized) json["equalize"] = equalization_json(*report.equalized);
  if (report.bias_correction) json["bias_correction"] = bias_correction(*report.bias_correction);
  if (report.bound) json["bound"] = bound_json(*report.bound);
  json["error"] = report.error ? error_metrics(*report.error) : Json(nullptr);
  if (report.error) json["error"]["measured_on"] = report.error_source;
  json["saturation"] = report.saturation ? saturation(*report.saturation) : Json(nullptr);
  json["outlier_samples"] = outliers_json(report.outliers);
  json["float_layers"] = float_layers;
  json["float_types"] = report.floats ? floats_json(*report.floats) : Json(nullptr);
  json["notes"] = report.notes;
  add_verdict(json, report.verdict);
  json["provenance"] = provenance_json(report.provenance);
  json["seconds"] = report.seconds;
  json["calibration_seconds"] = report.calibration_seconds;
  json["peak_mb"] = report.peak_mb;
  return render("quantize", json);
}

}  // namespace detent
