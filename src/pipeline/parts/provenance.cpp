#include "pipeline/parts/provenance.h"

#include <span>
#include <string_view>

#include "calibrate/sample_digest.h"
#include "core/files/content_hash.h"
#include "core/parse.h"
#include "detent/base/version.h"
#include "model/origin.h"

namespace detent {

namespace {

constexpr const char* kOwn = "detent.";
constexpr const char* kProducer = "detent";
constexpr std::string_view kFloatLayer = "float_layer:";  // and the node's name; the text is the reason

/// Those that nothing but this run decided on: what rules alone keep float can be told from any file.
std::map<std::string, std::string> layers_left_float(const Prepared& prepared) {
  std::map<std::string, std::string> layers;
  for (const LayerDecision& layer : prepared.plan.layers)
    if (!layer.int8 && (layer.rule == RuleId::UserChoice || layer.rule == RuleId::MeasuredChoice ||
                        layer.rule == RuleId::ResidualStream))
      layers.emplace(prepared.graph().node(layer.node).name, name_of(layer.rule) + ": " + layer.reason);
  return layers;
}

std::string found(const std::map<std::string, std::string>& metadata, const std::string& key) {
  const auto entry = metadata.find(kOwn + key);
  return entry == metadata.end() ? std::string() : entry->second;
}

}  // namespace

std::string ranges_fingerprint(const Graph& graph, const std::map<ValueId, Range>& ranges) {
  std::map<std::string, Range> by_name;
  for (const auto& [value, range] : ranges) by_name[graph.value(value).name] = range;
  ContentHash hash;
  for (const auto& [name, range] : by_name) {
    hash.add_text(name);
    for (const float bound : {range.min, range.max, range.given_scale}) hash.add(std::as_bytes(std::span(&bound, 1)));
  }
  return hash.digest().hex();
}

Provenance describe_origin(const Prepared& prepared, const Calibration& calibration, const DecidingOptions& options) {
  Provenance provenance;
  provenance.producer = tool_version();
  provenance.target = prepared.recipe.target->spec();
  provenance.samples = calibration.samples;
  provenance.sample_digest = sample_digest(calibration.identities);
  provenance.options = changed_options(options, prepared);
  provenance.source_producer = prepared.facts.producer;
  provenance.float_layers = layers_left_float(prepared);
  return provenance;
}

void write_provenance(Model& model, const Provenance& provenance) {
  ModelOrigin origin{kProducer, version_number(), {}};
  const auto note = [&](const char* key, const std::string& text) {
    if (!text.empty()) origin.metadata[std::string(kOwn) + key] = text;
  };
  note("target", provenance.target);
  note("calibrator", provenance.calibrator);
  note("ranges", provenance.ranges);
  note("samples", std::to_string(provenance.samples));
  note("sample_digest", provenance.sample_digest);
  note("options", provenance.options);
  note("source_producer", provenance.source_producer);
  for (const auto& [node, reason] : provenance.float_layers)
    origin.metadata[kOwn + std::string(kFloatLayer) + node] = reason;
  set_origin(model, origin, kOwn);
}

std::optional<Provenance> read_provenance(const Model& model) {
  const ModelOrigin origin = origin_of(model);
  if (origin.producer_name != kProducer) return std::nullopt;
  Provenance provenance{.producer = producer_of(model),
                        .target = found(origin.metadata, "target"),
                        .calibrator = found(origin.metadata, "calibrator"),
                        .ranges = found(origin.metadata, "ranges"),
                        .sample_digest = found(origin.metadata, "sample_digest"),
                        .options = found(origin.metadata, "options"),
                        .source_producer = found(origin.metadata, "source_producer")};
  provenance.samples = parse_number<decltype(provenance.samples)>(found(origin.metadata, "samples")).value_or(0);
  const std::string prefix = kOwn + std::string(kFloatLayer);
  for (auto entry = origin.metadata.lower_bound(prefix);
       entry != origin.metadata.end() && entry->first.starts_with(prefix); ++entry)
    provenance.float_layers.emplace(entry->first.substr(prefix.size()), entry->second);
  return provenance;
}

}  // namespace detent
