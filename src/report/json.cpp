#include "report/json.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace detent {

namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string render(const Json& document) { return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json tensors(const std::vector<TensorInfo>& list) {
  Json array = Json::array();
  for (const TensorInfo& tensor : list)
    array.push_back({{"name", tensor.name}, {"type", tensor.type}, {"shape", tensor.shape}});
  return array;
}

Json coverage(const CoverageReport& report) {
  return {{"layers", report.layers},
          {"int8_layers", report.int8_layers},
          {"macs", report.macs},
          {"int8_macs", report.int8_macs},
          {"params", report.params},
          {"int8_params", report.int8_params},
          {"activation_bytes", report.activation_bytes},
          {"int8_activation_bytes", report.int8_activation_bytes},
          {"pairs", report.pairs}};
}

Json layers(const PlanReport& report) {
  Json array = Json::array();
  for (const auto& layer : report.layers)
    array.push_back({{"name", layer.name},
                     {"op", layer.op},
                     {"int8", layer.int8},
                     {"rule", layer.rule},
                     {"reason", layer.reason},
                     {"macs", layer.macs},
                     {"params", layer.params}});
  return array;
}

Json edges(const PlanReport& report) {
  Json array = Json::array();
  for (const auto& edge : report.edges)
    array.push_back({{"value", edge.value},
                     {"consumer", edge.consumer},
                     {"op", edge.op},
                     {"slot", edge.slot},
                     {"decision", edge.pair ? "pair" : "float"},
                     {"scale_group", edge.scale_group ? Json(*edge.scale_group) : Json(nullptr)},
                     {"rule", edge.rule},
                     {"reason", edge.reason}});
  return array;
}

/// null where it is not known.
Json equalizable(const PlanReport& report) {
  if (!report.equalizable) return nullptr;
  Json list = Json::array();
  for (const auto& family : *report.equalizable)
    list.push_back({{"family", family.family}, {"count", family.values.size()}, {"values", family.values}});
  return list;
}

Json error_metrics(const ErrorReport& error) {
  Json json{{"samples", error.samples}, {"sqnr_db", number(error.sqnr_db)}, {"cosine", number(error.cosine)}};
  json["argmax_agreement"] = error.argmax_agreement ? Json(*error.argmax_agreement) : Json(nullptr);
  json["sign_agreement"] = error.sign_agreement ? Json(*error.sign_agreement) : Json(nullptr);
  for (const auto& output : error.outputs)
    json["outputs"].push_back(
        {{"name", output.name}, {"sqnr_db", number(output.sqnr_db)}, {"cosine", number(output.cosine)}});
  return json;
}

Json measurement(const CalibratorMeasurement& measured) {
  Json candidates = Json::array();
  for (size_t i = 0; i < measured.candidates.size(); ++i) {
    const auto& candidate = measured.candidates[i];
    candidates.push_back({{"calibrator", candidate.calibrator},
                          {"score_db", number(candidate.score_db)},
                          {"metrics", error_metrics(candidate.error)},
                          {"winner", i == measured.winner}});
  }
  return {{"samples", measured.samples}, {"seconds", measured.seconds}, {"candidates", candidates}};
}

Json optional_number(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }

Json equalization(const EqualizeReport& report) {
  Json families = Json::array(), values = Json::array();
  for (const auto& family : report.families)
    families.push_back({{"name", family.name},
                        {"alpha", family.alpha},
                        {"groups", family.groups},
                        {"values", family.values},
                        {"kept", family.kept},
                        {"gain_db", optional_number(family.gain_db)}});
  for (const auto& value : report.values)
    values.push_back({{"name", value.name},
                      {"family", value.family},
                      {"channels", value.channels},
                      {"imbalance_before", number(value.imbalance_before)},
                      {"imbalance_after", number(value.imbalance_after)}});
  return {{"requested", report.requested},
          {"families", families},
          {"values", values},
          {"sqnr_before_db", optional_number(report.sqnr_before_db)},
          {"sqnr_after_db", optional_number(report.sqnr_after_db)},
          {"samples", report.samples},
          {"notes", report.notes},
          {"seconds", report.seconds}};
}

Json bias_correction(const BiasCorrectionReport& report) {
  return {{"layers", report.layers},
          {"kept", report.kept},
          {"sqnr_before_db", number(report.sqnr_before_db)},
          {"sqnr_after_db", number(report.sqnr_after_db)},
          {"samples", report.samples},
          {"seconds", report.seconds}};
}

Json bound(const BoundReport& report) {
  Json kept = Json::array();
  for (const auto& layer : report.kept)
    kept.push_back(
        {{"name", layer.name}, {"op", layer.op}, {"reason", layer.reason}, {"mac_share", number(layer.macs_share)}});
  return {{"bound", report.bound},
          {"met", report.met},
          {"metric", report.metric},
          {"fp32", report.fp32 ? number(*report.fp32) : Json(nullptr)},
          {"all_int8", number(report.all_int8)},
          {"reached", number(report.reached)},
          {"sqnr_db_all_int8", number(report.sqnr_db_all_int8)},
          {"sqnr_db", number(report.sqnr_db)},
          {"kept", kept},
          {"samples", report.samples},
          {"measurements", report.measurements},
          {"seconds", report.seconds}};
}

}  // namespace

std::string to_json(const ModelReport& report) {
  Json json{{"model", report.model}, {"ir", report.ir}, {"opset", Json::object()}};
  for (const auto& [domain, version] : report.opset) json["opset"][domain.empty() ? "ai.onnx" : domain] = version;
  json["inputs"] = tensors(report.inputs);
  json["outputs"] = tensors(report.outputs);
  json["operators"] = report.operators;
  json["parameters"] = report.parameters;
  json["quantized"] = report.quantized;
  json["unsupported"] = Json::array();
  for (const auto& item : report.unsupported)
    json["unsupported"].push_back({{"node", item.node}, {"op", item.op}, {"reason", item.reason}});
  return render(json);
}

std::string to_json(const PlanReport& report) {
  return render({{"model", report.model},
                 {"target", report.target},
                 {"layers", layers(report)},
                 {"edges", edges(report)},
                 {"notes", report.notes},
                 {"equalizable", equalizable(report)},
                 {"coverage", coverage(report.coverage)}});
}

std::string to_json(const LintReport& report) {
  Json findings = Json::array();
  for (const auto& finding : report.findings)
    findings.push_back({{"id", finding.id},
                        {"level", finding.level},
                        {"node", finding.node},
                        {"message", finding.message},
                        {"cure", finding.cure},
                        {"mac_share", number(finding.mac_share)}});
  return render({{"model", report.plan.model},
                 {"target", report.plan.target},
                 {"origin", report.origin},
                 {"findings", findings},
                 {"layers", layers(report.plan)},
                 {"notes", report.plan.notes},
                 {"coverage", coverage(report.plan.coverage)}});
}

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
            {"values", values},          {"coverage", coverage(report.plan.coverage)}};
  if (report.measured) json["auto"] = measurement(*report.measured);
  if (report.equalized) json["equalize"] = equalization(*report.equalized);
  if (report.bias_correction) json["bias_correction"] = bias_correction(*report.bias_correction);
  if (report.bound) json["bound"] = bound(*report.bound);
  json["error"] = report.error ? error_metrics(*report.error) : Json(nullptr);
  json["float_layers"] = float_layers;
  json["notes"] = report.notes;
  json["seconds"] = report.seconds;
  json["calibration_seconds"] = report.calibration_seconds;
  json["peak_mb"] = report.peak_mb;
  return render(json);
}

std::string to_json(const ComparisonReport& report) {
  const auto metrics = [](const std::map<std::string, double>& values) {
    Json json = Json::object();
    for (const auto& [name, value] : values) json[name] = number(value);
    return json;
  };
  Json variants = Json::array();
  for (const auto& variant : report.variants) {
    Json outputs = Json::array();
    for (const auto& output : variant.outputs)
      outputs.push_back(
          {{"name", output.name}, {"sqnr_db", number(output.sqnr_db)}, {"cosine", number(output.cosine)}});
    Json item{{"calibrator", variant.calibrator}};
    if (!variant.takes.empty()) item["takes"] = variant.takes;
    item["metrics"] = metrics(variant.metrics);
    item["outputs"] = outputs;
    item["size_bytes"] = variant.size_bytes;
    item["seconds"] = variant.seconds;
    variants.push_back(item);
  }
  return render({{"model", report.model},
                 {"target", report.target},
                 {"equalize", report.equalized ? equalization(*report.equalized) : Json(nullptr)},
                 {"calibration_samples", report.calibration_samples},
                 {"evaluation_samples", report.evaluation_samples},
                 {"skipped_samples", report.skipped_samples},
                 {"fp32", metrics(report.fp32)},
                 {"variants", variants},
                 {"winner", report.winner},
                 {"criterion", report.criterion},
                 {"coverage", coverage(report.plan.coverage)},
                 {"calibration_seconds", report.calibration_seconds},
                 {"evaluation_seconds", report.evaluation_seconds}});
}

std::string to_json(const SensitivityReport& report) {
  const auto layers = [](const std::vector<SensitivityReport::Layer>& list) {
    Json array = Json::array();
    for (const auto& layer : list)
      array.push_back({{"name", layer.name},
                       {"op", layer.op},
                       {"sqnr_db_alone", number(layer.sqnr_db_alone)},
                       {"sqnr_db_all_but", number(layer.sqnr_db_all_but)},
                       {"mac_share", number(layer.macs_share)}});
    return array;
  };
  Json values = Json::array();
  for (const auto& value : report.values) values.push_back({{"name", value.value}, {"sqnr_db", number(value.sqnr_db)}});
  return render({{"model", report.model},
                 {"target", report.target},
                 {"calibrator", report.calibrator},
                 {"equalize", report.equalized ? equalization(*report.equalized) : Json(nullptr)},
                 {"calibration_samples", report.calibration_samples},
                 {"evaluation_samples", report.evaluation_samples},
                 {"skipped_samples", report.skipped_samples},
                 {"sqnr_db_all", number(report.sqnr_db_all)},
                 {"layers", layers(report.layers)},
                 {"operators", layers(report.operators)},
                 {"values", values},
                 {"variants", report.variants},
                 {"plain_runs", number(report.plain_runs)},
                 {"seconds", report.seconds}});
}

std::string to_json(const VerifyReport& report) {
  Json lines = Json::array();
  for (const auto& line : report.lines) {
    using Outcome = VerifyReport::Line::Outcome;
    const char* outcome = line.outcome == Outcome::Passed   ? "passed"
                          : line.outcome == Outcome::Failed ? "failed"
                                                            : "unsupported";
    lines.push_back({{"folder", line.folder},
                     {"model", line.model},
                     {"outcome", outcome},
                     {"detail", line.detail},
                     {"operators", line.operators},
                     {"worst_relative_error", number(line.worst_relative_error)}});
  }
  return render(
      {{"models", lines}, {"passed", report.passed}, {"failed", report.failed}, {"unsupported", report.unsupported}});
}

}  // namespace detent
