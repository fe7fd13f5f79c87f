#include "report/compared_types.h"
#include "report/json/json.h"
#include "report/json/json_parts.h"

namespace detent {

namespace {

/// Members of a variant that is a type. `calibrator` is null for weights alone.
void add_type(Json& item, const ComparisonReport& report, const ComparisonReport::Variant& variant) {
  const TypeFacts& facts = *variant.type;
  const auto ratio = [](uint64_t part, uint64_t whole) {
    return whole ? number(static_cast<double>(part) / static_cast<double>(whole)) : Json(nullptr);
  };
  item["calibrator"] = variant.takes.empty() ? Json(nullptr) : Json(variant.takes);
  item.erase("takes");
  item["layers"] = facts.layers;
  item["quantized_layers"] = facts.quantized_layers;
  item["pairs"] = facts.pairs;
  if (facts.block) item["block"] = *facts.block == 0 ? Json("channel") : Json(*facts.block);
  item["rounding"] = facts.by_inputs ? "inputs" : "nearest";
  item["size_ratio"] = ratio(variant.size_bytes, report.types->model_bytes);
  item["weight_bytes"] = weight_bytes(facts);
  item["weight_ratio"] = ratio(weight_bytes(facts), report.types->weight_bytes);
  item["weight_shares"] = Json::object();
  for (const auto& [type, bytes] : facts.weight_bytes) item["weight_shares"][type] = weight_share(facts, type);
}

Json types_json(const ComparisonReport& report) {
  const TypeComparison& types = *report.types;
  Json losses = Json::object();
  for (size_t v = 0; v < types.losses.size(); ++v) losses[report.variants[v].calibrator] = number(types.losses[v]);
  return {{"fp32_size_bytes", types.model_bytes},
          {"fp32_weight_bytes", types.weight_bytes},
          {"limit", types.limit.empty() ? Json(nullptr) : Json(types.limit)},
          {"limit_given", types.limit_given},
          {"metric", types.metric.empty() ? Json(nullptr) : Json(types.metric)},
          {"losses", losses},
          {"smallest", types.smallest.empty() ? Json(nullptr) : Json(types.smallest)}};
}

}  // namespace

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
    if (variant.type) add_type(item, report, variant);
    return item;
  };
  Json variants = Json::array(), baselines = Json::array();
  for (const auto& variant : report.variants)
    variants.push_back(described(report.types ? "type" : "calibrator", variant));
  for (const auto& baseline : report.baselines) baselines.push_back(described("float_type", baseline));
  Json json{{"model", report.model},
            {"target", report.target},
            {"equalize", report.equalized ? equalization_json(*report.equalized) : Json(nullptr)},
            {"calibration_samples", report.calibration_samples},
            {"evaluation_samples", report.evaluation_samples},
            {"evaluation_digest", report.evaluation_digest},
            {"skipped_samples", report.skipped_samples},
            {"outlier_samples", outliers_json(report.outliers)},
            {"fp32", metrics(report.fp32)},
            {"baselines", baselines},
            {"variants", variants},
            {"winner", report.winner},
            {"ties", report.ties},
            {"criterion", report.criterion}};
  if (report.types) json["types"] = types_json(report);
  json["provenance"] = provenance_json(report.provenance);
  if (!report.types) json["coverage"] = coverage_json(report.plan.coverage);
  json["float_types"] = report.plan.floats ? floats_json(*report.plan.floats) : Json(nullptr);
  json["calibration_seconds"] = report.calibration_seconds;
  json["evaluation_seconds"] = report.evaluation_seconds;
  return render(report.types ? "compare-types" : "compare", json);
}

}  // namespace detent
