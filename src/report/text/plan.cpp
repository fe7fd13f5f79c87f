#include <fmt/core.h>

#include <algorithm>

#include "report/text/text.h"

namespace detent {

namespace {

/// Returns "parameters 98.7 % INT8, activation bytes 59.3 %"; bytes only where shapes are known.
std::string coverage_share_text(const CoverageReport& coverage) {
  std::string text;
  if (coverage.params > 0)
    text +=
        "parameters " + share_text(coverage.int8_params, coverage.params) + " " + std::string(name_of(coverage.type));
  if (coverage.activation_bytes > 0)
    text += std::string(text.empty() ? "" : ", ") + "activation bytes " +
            share_text(coverage.int8_activation_bytes, coverage.activation_bytes);
  return text.empty() ? text : text + "\n";
}

/// Returns the reason of some entries, or its pattern where they differ.
template <class Entry>
std::string reason_of(const std::vector<const Entry*>& group) {
  const std::string& first = group.front()->reason;
  for (const Entry* entry : group)
    if (entry->reason != first) return pattern_of(first);
  return first;
}

template <class Entry>
std::vector<std::vector<const Entry*>> grouped_entries(const std::vector<const Entry*>& entries, const Listing& listing,
                                                       const auto& key_of) {
  std::vector<std::string> keys;
  for (const Entry* entry : entries) keys.push_back(key_of(*entry) + "\n" + pattern_of(entry->reason));
  std::vector<std::vector<const Entry*>> groups;
  for (const std::vector<size_t>& group : listing.groups(keys)) {
    groups.emplace_back();
    for (const size_t i : group) groups.back().push_back(entries[i]);
  }
  return groups;
}

/// Returns " scale group 3" or " scale groups 0, 1, 2 and 4 more"; "" for none.
std::string scale_groups_text(const std::vector<const PlanReport::Edge*>& edges, Listing& listing) {
  std::vector<std::string> numbers;
  for (const auto* edge : edges) {
    if (!edge->scale_group) continue;
    std::string number = std::to_string(*edge->scale_group);
    if (std::ranges::find(numbers, number) == numbers.end()) numbers.push_back(std::move(number));
  }
  if (numbers.empty()) return {};
  return (numbers.size() == 1 ? " scale group " : " scale groups ") + listing.names(numbers);
}

std::string edges_text(const PlanReport& report, Listing& listing) {
  using Edge = PlanReport::Edge;
  std::vector<const Edge*> edges;
  for (const auto& edge : report.edges)
    if (edge.pair || listing.all()) edges.push_back(&edge);
  if (edges.empty()) return {};
  std::string text = listing.all() ? "\nedges\n" : "\npairs\n";
  const auto key = [&](const Edge& edge) {
    return edge.op + "\n" + std::to_string(edge.slot) + "\n" + edge.rule + (edge.scale_group ? "\nshared" : "") +
           (edge.wide ? "\nwide" : "") + (listing.all() ? "\n" + edge.overruled : "");
  };
  const auto loser = [&](const Edge& edge) {
    if (!listing.all() || edge.overruled.empty()) return std::string();
    return "; " + edge.overruled + (edge.pair ? " wanted floats" : " wanted a pair");
  };
  for (const auto& group : grouped_entries(edges, listing, key)) {
    const Edge& first = *group.front();
    const auto name = [](const Edge* edge) { return edge->value + " -> " + edge->consumer; };
    text += std::string(first.pair ? "  pair  " : "  float ") + listing.names(group, name) + " (" + first.op +
            ", input " + std::to_string(first.slot) + ")" + scale_groups_text(group, listing) + "  " + first.rule +
            ": " + reason_of(group) + loser(first) + "\n";
  }
  return text;
}

}  // namespace

std::vector<std::string> layer_lines(const std::vector<const PlanReport::Layer*>& layers, Listing& listing,
                                     int64_t all_macs) {
  std::vector<std::string> lines;
  const auto key = [](const PlanReport::Layer& layer) {
    return std::string(layer.int8 ? "1" : "0") + "\n" + layer.op + "\n" + layer.rule;
  };
  for (const auto& group : grouped_entries(layers, listing, key)) {
    int64_t macs = 0;
    for (const auto* layer : group) macs += layer->macs;
    const auto& first = *group.front();
    lines.push_back(listing.names(group, &PlanReport::Layer::name) + " (" + first.op + ")");
    if (all_macs > 0 && macs > 0) lines.back() += "  (" + share_text(macs, all_macs) + " of MACs)";
    lines.back() += "  " + (first.rule == "-" ? "" : first.rule + ": ") + reason_of(group);
  }
  return lines;
}

std::string outlook_text(const PlanReport& plan, Listing& listing) {
  if (!plan.outlook) return {};
  std::string text = plan.outlook->text + "\n";
  std::vector<const StandaloneQuantizer*> quantizers;
  for (const auto& quantizer : plan.quantizers) quantizers.push_back(&quantizer);
  for (const auto& group : grouped_entries(quantizers, listing, [](const auto&) { return std::string(); }))
    text += "  alone: " + listing.names(group, &StandaloneQuantizer::node) + "  " + reason_of(group) + "\n";
  return text;
}

std::string rules_text() {
  return "rules (R10, O2 ...) and scale groups are explained in src/place/RULES.md and by 'detent help plan --long'\n";
}

std::string to_text(const PlanReport& report, Lists lists) {
  Listing listing(lists);
  std::string text = model_line(report.model, report, report.target) + "\n";
  if (!report.detections.empty()) text += "detections: " + report.detections + "\n";
  if (report.folded_batchnorms)
    text += plural(report.folded_batchnorms, "BatchNormalization") + " folded into weights first (R3)\n";
  if (!report.layers.empty()) text += "\nlayers\n";
  const std::string type = fmt::format("  {:4}  ", name_of(report.coverage.type));
  const auto kind_of = [&](const PlanReport::Layer& layer) {
    return !layer.int8 ? std::string("  float ") : layer.wide ? std::string("  A16W8 ") : type;
  };
  for (const std::string& kind : {std::string("  float "), std::string("  A16W8 "), type}) {
    std::vector<const PlanReport::Layer*> layers;
    for (const auto& layer : report.layers)
      if (kind_of(layer) == kind) layers.push_back(&layer);
    for (const std::string& line : layer_lines(layers, listing)) text += kind + line + "\n";
  }
  text += wide_nodes_text(report, listing) + attention_text(report, listing);
  const std::string pairs = edges_text(report, listing);
  text += pairs;
  if (!report.notes.empty()) text += "\nnotes\n";
  for (const std::string& note : listing.sentences(report.notes)) text += "  " + note + "\n";
  text += "\n" + coverage_text(report.coverage) + "; " + plural(static_cast<size_t>(report.coverage.pairs), "pair") +
          " on " + plural(report.quantized_values, "value");
  if (report.shared_scale_groups) text += ", " + plural(report.shared_scale_groups, "group") + " of shared scales";
  text += "\n" + coverage_share_text(report.coverage) + outlook_text(report, listing);
  if (report.floats) text += float_text(*report.floats, listing);
  return text + types_text(report.coverage.types, report.coverage.type) +
         (report.equalizable ? equalizable_text(*report.equalizable) : std::string()) +
         (report.layers.empty() && pairs.empty() ? "" : rules_text()) + listing.closing();
}

}  // namespace detent
