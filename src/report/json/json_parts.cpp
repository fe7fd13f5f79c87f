#include "report/json/json_parts.h"

#include <cmath>
#include <utility>

#include "report/output_errors.h"

namespace detent {

std::string render(std::string_view kind, Json members) {
  Json document{{"schema", "urn:detent:" + std::string(kind) + ":" + std::string(kSchemaVersion)}};
  for (auto member = members.begin(); member != members.end(); ++member)
    document[member.key()] = std::move(member.value());
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json number(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }

namespace {

Json type_share(const TypeShare& share) { return {{"macs", share.macs}, {"activation_bytes", share.activation_bytes}}; }

}  // namespace

Json coverage_json(const CoverageReport& report) {
  return {{"type", option_name_of(report.type)},
          {"layers", report.layers},
          {"int8_layers", report.int8_layers},
          {"macs", report.macs},
          {"int8_macs", report.int8_macs},
          {"params", report.params},
          {"int8_params", report.int8_params},
          {"activation_bytes", report.activation_bytes},
          {"int8_activation_bytes", report.int8_activation_bytes},
          {"pairs", report.pairs},
          {"types",
           {{"int8", type_share(report.types.int8)},
            {"half", type_share(report.types.half)},
            {"float32", type_share(report.types.float32)}}},
          {"casts", report.casts}};
}

Json output_errors_json(const std::vector<ErrorReport::Output>& outputs) {
  Json array = Json::array();
  for (const auto& output : outputs)
    array.push_back({{"name", output.name},
                     {"kind", name_of(output.kind)},
                     {metrics::kSqnr.name, number(output.sqnr_db)},
                     {metrics::kCosine.name, number(output.cosine)},
                     {"agreement", number(output.agreement)},
                     {"exact", is_exact(output)}});
  return array;
}

namespace {

Json acceptance_json(const AcceptanceReport& report) {
  return {{"accepted", report.accepted},
          {"reason", report.reason},
          {"sqnr_before_db", number(report.before_db)},
          {"sqnr_after_db", number(report.after_db)},
          {"worst_before_db", number(report.worst_before_db)},
          {"worst_after_db", number(report.worst_after_db)},
          {"samples", report.samples}};
}

}  // namespace

Json weight_format_json(const WeightFormat& format) {
  return {{"codes", name_of(format.codes)}, {"block", format.block == 0 ? Json("channel") : Json(format.block)}};
}

namespace {

Json metrics_json(const std::map<std::string, double>& metrics) {
  Json json = Json::object();
  for (const auto& [name, value] : metrics) json[name] = number(value);
  return json;
}

}  // namespace

Json bound_json(const BoundReport& report) {
  Json kept = Json::array();
  for (const auto& layer : report.kept)
    kept.push_back(
        {{"name", layer.name}, {"op", layer.op}, {"reason", layer.reason}, {"mac_share", number(layer.macs_share)}});
  return {{"bound", report.bound},
          {"met", report.met},
          {"metric", report.metric},
          {"fp32", number(report.fp32)},
          {"all_int8", number(report.all_int8)},
          {"reached", number(report.reached)},
          {metrics::kPerplexity.name,
           report.metric == metrics::kNats.name ? number(std::exp(report.reached)) : Json(nullptr)},
          {"sqnr_db_all_int8", number(report.sqnr_db_all_int8)},
          {metrics::kSqnr.name, number(report.sqnr_db)},
          {"output", report.output.empty() ? Json(nullptr) : Json(report.output)},
          {"metrics", metrics_json(report.metrics)},
          {"fp32_metrics", metrics_json(report.fp32_metrics)},
          {"kept", kept},
          {"samples", report.samples},
          {"measurements", report.measurements},
          {"seconds", report.seconds}};
}

Json outliers_json(const OutlierReport& report) {
  Json samples = Json::array();
  for (const auto& one : report.samples)
    samples.push_back({{"sample", one.sample}, {"values", one.values}, {"ratio", number(one.ratio)}});
  return samples;
}

Json provenance_json(const Provenance& provenance) {
  return {{"producer", provenance.producer},     {"target", provenance.target},
          {"calibrator", provenance.calibrator}, {"ranges", provenance.ranges},
          {"samples", provenance.samples},       {"sample_digest", provenance.sample_digest},
          {"options", provenance.options},       {"source_producer", provenance.source_producer}};
}

Json equalization_json(const EqualizeReport& report) {
  Json families = Json::array(), values = Json::array();
  for (const auto& family : report.families)
    families.push_back({{"name", family.name},
                        {"alpha", family.alpha},
                        {"groups", family.groups},
                        {"values", family.values},
                        {"kept", family.kept},
                        {"reason", family.reason},
                        {"gain_db", number(family.gain_db)}});
  for (const auto& value : report.values)
    values.push_back({{"name", value.name},
                      {"family", value.family},
                      {"channels", value.channels},
                      {"imbalance_before", number(value.imbalance_before)},
                      {"imbalance_after", number(value.imbalance_after)}});
  return {{"requested", report.requested},
          {"families", families},
          {"values", values},
          {"sqnr_before_db", number(report.sqnr_before_db)},
          {"sqnr_after_db", number(report.sqnr_after_db)},
          {"acceptance", report.acceptance ? acceptance_json(*report.acceptance) : Json(nullptr)},
          {"samples", report.samples},
          {"notes", report.notes},
          {"seconds", report.seconds}};
}

Json error_metrics(const ErrorReport& error) {
  Json json{{"samples", error.samples}};
  for (const auto& [metric, member] : kErrorMetrics) json[metric.name] = number(error.*member);
  if (!error.outputs.empty()) json["outputs"] = output_errors_json(error.outputs);
  return json;
}

void add_verdict(Json& json, const VerdictReport& verdict) {
  Json blame = Json::array();
  for (const auto& item : verdict.blame)
    blame.push_back({{"value", item.value},
                     {metrics::kSqnr.name, number(item.sqnr_db)},
                     {"sqnr_db_without", number(item.sqnr_db_without)}});
  json["verdict"] = verdict.quality ? Json(name_of(*verdict.quality)) : Json(nullptr);
  json["verdict_reasons"] = verdict.reasons;
  json["caveats"] = verdict.caveats;
  json["blame"] = blame;
  json["cures"] = verdict.cures;
}

}  // namespace detent
