#include "pipeline/parts/speed_outlook.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/text.h"
#include "lint/view/engine_forecast.h"
#include "lint/view/pair_wires.h"
#include "lint/view/standalone_pairs.h"

namespace detent {

namespace {

constexpr int64_t kBytesMoved = 3;  ///< FP16 and INT8 of one element

std::string megabytes(double bytes) {
  return bytes < 1e6 ? fmt::format("{:.0f} kB", std::ceil(bytes / 1e3)) : fmt::format("{:.1f} MB", bytes / 1e6);
}

/// Returns ", 2 float layers between INT8 layers, ..."; "" without such facts.
std::string other_facts(const SpeedOutlook& counts) {
  std::string text;
  if (counts.float_islands > 0) text += ", " + plural(counts.float_islands, "float layer") + " between INT8 layers";
  if (counts.concat_copies > 0)
    text += ", " + plural(counts.concat_copies, "copy of codes into a Concat", "copies of codes into Concats");
  if (counts.attention_blocks > 0)
    text += ", " + plural(counts.attention_blocks, "attention block") +
            (counts.attention_blocks == 1 ? " stays float" : " stay float");
  if (counts.border_bytes > 0)
    text += ", quantizers alone read and write " + megabytes(static_cast<double>(counts.border_bytes));
  return text;
}

std::string alone_text(const SpeedOutlook& counts) {
  std::string text =
      plural(counts.quantizers, "quantizer") + (counts.quantizers == 1 ? " stands" : " stand") + " alone";
  if (counts.shortcuts > 0) text += " (" + plural(counts.shortcuts, "shortcut") + ")";
  return text;
}

/// True for a Softmax whose probabilities a product with computed values reads as floats.
bool is_float_attention(const Graph& file, const Node& node) {
  if (node.op_type != "Softmax" || !node.output(0)) return false;
  return std::ranges::any_of(file.value(*node.output(0)).uses, [&](const Use& use) {
    const Node& reader = file.node(use.node);
    return reader.op_type == "MatMul" && std::ranges::none_of(present(reader.inputs), [&](ValueId input) {
             const Node* producer = file.producer(input);
             return file.value(input).is_constant || (producer && takes_apart(*producer));
           });
  });
}

int64_t bytes_moved(const StandalonePair& pair, const std::map<std::string, Shape>& sizes) {
  const auto size = sizes.find(pair.value);
  return size == sizes.end() ? 0 : size->second.element_count() * kBytesMoved;
}

std::string verdict_of(const std::vector<LatencyForecast>& forecasts) {
  bool known = false, faster = true;
  for (const LatencyForecast& forecast : forecasts) {
    if (!forecast.ratio) continue;
    known = true;
    faster = faster && *forecast.ratio + forecast.ratio_error < 1;
  }
  return !known ? "unknown" : faster ? "likely" : "doubtful";
}

}  // namespace

SpeedOutlook judge_speed(SpeedOutlook counts, const CoverageReport& coverage,
                         const std::vector<LatencyForecast>& forecasts) {
  const bool sized = coverage.macs > 0;
  const auto part = static_cast<double>(sized ? coverage.int8_macs : coverage.int8_layers);
  const auto whole = static_cast<double>(sized ? coverage.macs : coverage.layers);
  counts.int8_share = whole > 0 ? part / whole : 0;
  if (coverage.int8_layers == 0) {
    counts.verdict = "none";
    counts.text = "INT8 cannot beat FP16: no layer runs in INT8";
    return counts;
  }
  counts.verdict = verdict_of(forecasts);
  counts.text = fmt::format("{:.1f} % of {} in INT8, ", 100 * counts.int8_share, sized ? "MACs" : "weighted layers") +
                alone_text(counts) + other_facts(counts);
  return counts;
}

void add_outlook(const Graph& file, const std::map<std::string, Shape>& sizes, PlanReport& report) {
  SpeedOutlook counts;
  for (StandalonePair& pair : standalone_pairs(file)) {
    ++counts.quantizers;
    counts.shortcuts += pair.shortcut;
    counts.border_bytes += bytes_moved(pair, sizes);
    report.quantizers.push_back({std::move(pair.node), std::move(pair.reason), pair.shortcut});
  }
  counts.concat_copies = concat_copies(file).size();
  for (const ReformatPlace& place : reformat_places(file)) counts.float_islands += place.island;
  for (const Node& node : file.nodes()) counts.attention_blocks += is_float_attention(file, node);
  report.outlook = judge_speed(std::move(counts), report.coverage, report.forecasts);
}

std::map<std::string, Shape> named_sizes(const Graph& graph, const ValueShapes& shapes) {
  std::map<std::string, Shape> sizes;
  for (const auto& [id, shape] : shapes) sizes.emplace(graph.value(id).name, shape);
  return sizes;
}

}  // namespace detent
