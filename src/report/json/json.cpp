#include "report/json/json.h"

#include "report/json/json_parts.h"

namespace detent {

namespace {

Json tensors(const std::vector<TensorInfo>& list) {
  Json array = Json::array();
  for (const TensorInfo& tensor : list)
    array.push_back(
        {{"name", tensor.name}, {"type", tensor.type}, {"shape", tensor.has_shape ? Json(tensor.shape) : Json()}});
  return array;
}

Json layers(const PlanReport& report) {
  Json array = Json::array();
  for (const auto& layer : report.layers)
    array.push_back({{"name", layer.name},
                     {"op", layer.op},
                     {"int8", layer.int8},
                     {"type", layer.int8 ? option_name_of(report.coverage.type) : "float"},
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

}  // namespace

std::string to_json(const ModelReport& report) {
  Json json{{"model", report.model}, {"ir", report.ir}, {"opset", Json::object()}};
  for (const auto& [domain, version] : report.opset) json["opset"][domain.empty() ? "ai.onnx" : domain] = version;
  json["inputs"] = tensors(report.inputs);
  json["outputs"] = tensors(report.outputs);
  json["operators"] = report.operators;
  json["float_nodes"] = Json::object();
  for (const auto& [type, count] : report.float_nodes) json["float_nodes"][type] = count;
  json["float_casts"] = report.float_casts;
  json["parameters"] = report.parameters;
  json["quantized"] = report.quantized;
  json["producer"] = report.producer;
  json["provenance"] = report.provenance ? provenance_json(*report.provenance) : Json(nullptr);
  json["unsupported"] = Json::array();
  for (const auto& item : report.unsupported)
    json["unsupported"].push_back({{"node", item.node}, {"op", item.op}, {"reason", item.reason}});
  return render("model", json);
}

std::string to_json(const PlanReport& report) {
  return render("plan", {{"model", report.model},
                         {"target", report.target},
                         {"samples", report.samples},
                         {"sample_digest", report.sample_digest},
                         {"layers", layers(report)},
                         {"edges", edges(report)},
                         {"notes", report.notes},
                         {"float_types", report.floats ? floats_json(*report.floats) : Json(nullptr)},
                         {"equalizable", equalizable(report)},
                         {"coverage", coverage_json(report.coverage)}});
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
  return render("lint", {{"model", report.plan.model},
                         {"target", report.plan.target},
                         {"samples", report.plan.samples},
                         {"sample_digest", report.plan.sample_digest},
                         {"origin", report.origin},
                         {"codes", report.codes},
                         {"built_for", report.built_for.empty() ? Json(nullptr) : Json(report.built_for)},
                         {"following", report.following},
                         {"findings", findings},
                         {"layers", layers(report.plan)},
                         {"notes", report.plan.notes},
                         {"coverage", coverage_json(report.plan.coverage)}});
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
      "verify",
      {{"models", lines}, {"passed", report.passed}, {"failed", report.failed}, {"unsupported", report.unsupported}});
}

}  // namespace detent
