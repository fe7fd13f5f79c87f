#include <utility>

#include "report/json/json.h"
#include "report/json/json_parts.h"

namespace detent {

namespace {

Json layers_json(const QuantizeWeightsReport& report) {
  Json layers = Json::array();
  for (const auto& layer : report.layers)
    layers.push_back({{"name", layer.name},
                      {"op", layer.op},
                      {"quantized", layer.quantized},
                      {"reason", layer.reason},
                      {"elements", layer.elements},
                      {"weight_sqnr_db", layer.quantized ? number(layer.sqnr_db) : Json(nullptr)}});
  return layers;
}

Json tables_json(const QuantizeWeightsReport& report) {
  Json tables = Json::array();
  for (const auto& table : report.tables)
    tables.push_back({{"name", table.name},
                      {"op", table.op},
                      {"quantized", table.quantized},
                      {"reason", table.reason},
                      {"elements", table.elements},
                      {"bytes", table.quantized ? Json(table.bytes) : Json(nullptr)},
                      {metrics::kSqnr.name, table.quantized ? number(table.sqnr_db) : Json(nullptr)}});
  return tables;
}

Json rounding_json(const QuantizeWeightsReport::Rounding& rounding) {
  return {{"layers", rounding.layers},
          {"samples", rounding.samples},
          {"sqnr_before_db", number(rounding.before_db)},
          {"sqnr_after_db", number(rounding.after_db)},
          {"kept", rounding.kept},
          {"reason", rounding.reason},
          {"seconds", rounding.seconds}};
}

}  // namespace

std::string to_json(const QuantizeWeightsReport& report) {
  Json float_layers = Json::array();
  for (const auto& layer : report.layers)
    if (!layer.quantized) float_layers.push_back({{"name", layer.name}, {"reason", layer.reason}});
  Json json{{"model", report.model},
            {"output", report.output},
            {"target", report.target},
            {"calibrator", nullptr},
            {"samples", report.rounding ? report.rounding->samples : 0},
            {"values", Json::array()}};
  Json weights = weight_format_json(report.format);
  weights["weight_bytes"] = report.weight_bytes;
  weights["rearranged"] = report.rearranged;
  weights["rounding"] = report.rounding ? rounding_json(*report.rounding) : Json(nullptr);
  weights["layers"] = layers_json(report);
  weights["tables"] = tables_json(report);
  json["weight_only"] = std::move(weights);
  if (report.bound) json["bound"] = bound_json(*report.bound);
  json["error"] = report.error ? error_metrics(*report.error) : Json(nullptr);
  if (report.error) json["error"]["measured_on"] = report.error_source;
  json["float_layers"] = float_layers;
  json["notes"] = report.notes;
  add_verdict(json, report.verdict);
  json["provenance"] = provenance_json(report.provenance);
  json["bytes_before"] = report.model_bytes;
  json["bytes_after"] = report.output_bytes;
  json["seconds"] = report.seconds;
  json["peak_mb"] = report.peak_mb;
  return render("quantize-weights", json);
}

}  // namespace detent
