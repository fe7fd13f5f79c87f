#include "pipeline/parts/provenance.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "calibrate/sample_tracker.h"
#include "core/files/content_hash.h"
#include "core/parse.h"
#include "core/text.h"
#include "detent/base/error.h"
#include "detent/base/version.h"
#include "model/origin.h"
#include "options/groups.h"
#include "options/key_options.h"
#include "pipeline/parts/accuracy_level.h"
#include "rewrite/format_options.h"

namespace detent {

namespace {

struct List : std::vector<std::pair<std::string, std::string>> {
  void add_if(bool differs, std::string_view name, std::string_view value) {
    if (differs) emplace_back(name, value);
  }
  void add_changed(const OptionList& options, const OptionList& usual) {
    for (auto& entry : changed(options, usual)) push_back(std::move(entry));
  }
};

/// Returns the options that would give the format of a file.
FormatOptions format_of(const RewriteOptions& made, FloatType float_type, IoType io) {
  using Wanted = FormatOptions::WeightRange;
  return {.int8_weights = made.int8_weights,
          .weight_range = made.weight_range == WeightRange::Mse ? Wanted::Mse : Wanted::Max,
          .weight_bits = made.weight_bits,
          .per_tensor = made.per_tensor_weights,
          .activation = made.activation.type,
          .full_range = made.activation.full_range,
          .int32_bias = made.int32_bias,
          .cpu = made.saturation == RewriteOptions::Saturation::Accepted ? std::optional(Cpu::Vnni) : std::nullopt,
          .float_type = float_type,
          .io = float_type == FloatType::Fp32 ? IoType::Keep : io};
}

void add_format(List& list, const DecidingOptions& options, const Prepared& setup) {
  const Target& target = *setup.recipe.target;
  PlacementRequest placement;
  placement.type = options.placement.type;
  FormatOptions made = format_of(setup.recipe.format, float_type_of(options.format, target), options.format.io);
  made.dynamic = setup.recipe.placement.dynamic_products;
  if (made.dynamic) made.activation.reset();
  FormatOptions usual = format_of(rewrite_options({}, placement, target), target.float_type, IoType::Keep);
  list.add_changed(format_options(made, CpuOption::Offered), format_options(usual, CpuOption::Offered));
}

/// usual  what the level equalizes by, unless the user says otherwise; a table has its own equalization
void add_equalization(List& list, const EqualizeOptions& given, const Prepared& setup, const std::string& usual) {
  list.add_if(!usual.empty() && !setup.table && given.equalize == "off", "equalize", "off");
  if (!setup.equalized) return;
  const std::string requested = setup.table ? setup.table->equalize : setup.equalized->report.requested;
  const bool implied = !setup.table && requested == usual;
  list.add_if(!setup.equalized->equalization.values.empty() && !implied, "equalize", requested);
}

/// Adds a bound such as "--min-sqnr 34".
void add_bound(List& list, const BoundReport* bound) {
  if (!bound || bound->kept.empty()) return;
  const size_t space = bound->bound.find(' ');
  list.emplace_back(bound->bound.substr(2, space - 2), bound->bound.substr(space + 1));
}

/// Returns "exclude" and "^a; b" of "exclude=^a; b; per-tensor=on": a part without a name belongs to the one before.
std::vector<std::pair<std::string, std::string>> parts_of(const std::string& options) {
  constexpr std::string_view kBetween = "; ";
  std::vector<std::pair<std::string, std::string>> parts;
  for (size_t at = 0; at < options.size();) {
    const size_t end = std::min(options.find(kBetween, at), options.size());
    const std::string part = options.substr(at, end - at);
    at = end + kBetween.size();
    const size_t name = part.find_first_not_of("abcdefghijklmnopqrstuvwxyz-");
    if (name != std::string::npos && name > 0 && part[name] == '=')
      parts.emplace_back(part.substr(0, name), part.substr(name + 1));
    else if (!parts.empty())
      parts.back().second += std::string(kBetween) + part;
  }
  return parts;
}

constexpr const char* kOwn = "detent.";
constexpr const char* kProducer = "detent";
constexpr std::string_view kFloatLayer = "float_layer:";  // then the name of a node; the text is the reason

/// Returns the nodes that only this run left float, and with any the layers that stay float beside them: without, any
/// file shows those that rules keep float.
std::map<std::string, std::string> nodes_left_float(const Prepared& prepared) {
  std::map<std::string, std::string> nodes;
  const auto add = [&](NodeId node, RuleId rule, const std::string& reason) {
    nodes.emplace(prepared.graph().node(node).name, name_of(rule) + ": " + reason);
  };
  const auto is_of_run = [](RuleId rule) { return rule && rule->of_run; };
  for (const EdgeDecision& edge : prepared.plan.edges)
    if (!edge.reads_pair() && !prepared.plan.find_layer(edge.consumer) && is_of_run(edge.rule))
      add(edge.consumer, edge.rule, edge.reason);
  const bool all = prepared.recipe.placement.dynamic_products ||  // a file of pairs would have them here
                   std::ranges::any_of(prepared.plan.layers, [&](const auto& layer) {
                     return !layer.runs_on_codes() && is_of_run(layer.rule);
                   });
  for (const LayerDecision& layer : prepared.plan.layers)
    if (!layer.runs_on_codes() && all) add(layer.node, layer.rule, layer.reason);
  return nodes;
}

std::string found(const std::map<std::string, std::string>& metadata, const std::string& key) {
  const auto entry = metadata.find(kOwn + key);
  return entry == metadata.end() ? std::string() : entry->second;
}

}  // namespace

std::string changed_options(const DecidingOptions& options, const DecidedResults& results, const Prepared& setup) {
  List list;
  PlacementOptions placement = options.placement, usual;
  list.add_changed(placement_options(placement), placement_options(usual));
  add_format(list, options, setup);
  const AccuracyLevel& level = level_of(options.accuracy);
  const bool thorough = level.thorough && setup.data;
  add_equalization(list, options.equalize, setup, setup.data ? level.equalization_of(options.placement.type) : "");
  list.add_if(thorough, "accuracy", name_of(level.level));
  list.add_if(options.outliers != OutlierPolicy::Clip, "outliers", name_of(options.outliers));
  list.add_if(results.biases_corrected && !thorough, "bias-correction", "on");
  list.add_if(thorough && options.equalize.bias_correction == false, "bias-correction", "off");
  add_bound(list, results.bound);
  list.add_if(!setup.recipe.run.judged_outputs.empty(), "judged-outputs", join(setup.recipe.run.judged_outputs, ","));
  list.add_if(!setup.recipe.overrides.empty(), "override", "FILE of " + plural(setup.recipe.overrides.size(), "value"));
  return join(list, "; ", [](const auto& entry) { return entry.first + "=" + entry.second; });
}

RecordedOptions recorded_options(const std::string& text) {
  RecordedOptions recorded;
  const OptionList known =
      list_of(placement_options(recorded.placement), format_options(recorded.format, CpuOption::Offered));
  for (const auto& [name, value] : parts_of(text)) {
    const auto option = std::ranges::find(known.options, "--" + name, &Option::long_name);
    if (option == known.options.end()) continue;
    try {
      take_text(*option, value);
    } catch (const Error&) {  // a word of another version
      continue;
    }
  }
  return recorded;
}

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

Provenance describe_origin(const Prepared& prepared, const Calibration& calibration, const DecidingOptions& options,
                           const DecidedResults& results) {
  Provenance provenance;
  provenance.producer = tool_version();
  provenance.target = prepared.recipe.target->spec();
  provenance.samples = calibration.samples;
  provenance.sample_digest = sample_digest(calibration.identities);
  provenance.options = changed_options(options, results, prepared);
  provenance.source_producer = prepared.facts.producer;
  provenance.float_layers = nodes_left_float(prepared);
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
