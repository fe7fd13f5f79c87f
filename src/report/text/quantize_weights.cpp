#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>

#include "report/compared_types.h"
#include "report/text/text.h"

namespace detent {

namespace {

std::string weights_text(const QuantizeWeightsReport& report) {
  std::vector<QuantizeWeightsReport::Layer> quantized;
  std::ranges::copy_if(report.layers, std::back_inserter(quantized), &QuantizeWeightsReport::Layer::quantized);
  const std::string text = "weights of " + std::to_string(quantized.size()) + " of " +
                           plural(report.layers.size(), "weighted layer") + " as " + format_text(report.format);
  if (quantized.empty()) return text + "\n";
  const auto& worst = *std::ranges::min_element(quantized, {}, &QuantizeWeightsReport::Layer::sqnr_db);
  return text + ": " + bytes_text(report.float_weight_bytes) + " -> " + bytes_text(report.weight_bytes) +
         fmt::format("\nlargest loss: weight '{}', SQNR {:.1f} dB\n", worst.name, worst.sqnr_db);
}

/// Returns "embeddings, positions and masks: 2 of 2 large constants as INT8, 1 exactly: 554.2 kB -> 139.9 kB" and the
/// largest loss.
std::string tables_text(const QuantizeWeightsReport& report) {
  if (report.tables.empty()) return {};
  size_t quantized = 0, exact = 0;
  double float_bytes = 0, bytes = 0;
  const QuantizeWeightsReport::Table* worst = nullptr;
  std::string left;
  for (const auto& table : report.tables) {
    if (!table.quantized) {
      left += "kept float: " + table.name + " (" + table.op + ")  " + table.reason + "\n";
      continue;
    }
    ++quantized;
    exact += std::isinf(table.sqnr_db);
    float_bytes += static_cast<double>(table.float_bytes), bytes += static_cast<double>(table.bytes);
    if (!worst || table.sqnr_db < worst->sqnr_db) worst = &table;
  }
  std::string text = "embeddings, positions and masks: " + std::to_string(quantized) + " of " +
                     plural(report.tables.size(), "large constant") + " as INT8";
  if (quantized == 0) return text + "\n" + left;
  if (exact > 0) text += ", " + std::to_string(exact) + " exactly";
  text += ": " + bytes_text(float_bytes) + " -> " + bytes_text(bytes);
  if (std::isfinite(worst->sqnr_db))
    text += fmt::format(" (largest loss: '{}', SQNR {:.1f} dB)", worst->name, worst->sqnr_db);
  return text + "\n" + left;
}

std::string rounding_text(const QuantizeWeightsReport::Rounding& rounding) {
  std::string text = "rounding by GPTQ: ";
  if (rounding.layers == 0) return text + "not done: " + rounding.reason + "\n";
  text += plural(rounding.layers, "layer") +
          (rounding.before_db && rounding.after_db ? ", " + change_text(*rounding.before_db, *rounding.after_db) : "") +
          (rounding.kept ? ", kept" : ", dropped") + (rounding.reason.empty() ? "" : ": " + rounding.reason);
  return text + fmt::format(" ({} samples, {:.1f} s)\n", rounding.samples, rounding.seconds);
}

/// Prints "kept float: conv1, conv2 and 30 more (Conv)  reason" for layers with one reason.
std::string float_text(const QuantizeWeightsReport& report, Listing& listing) {
  std::vector<const QuantizeWeightsReport::Layer*> layers;
  std::vector<std::string> keys;
  for (const auto& layer : report.layers)
    if (!layer.quantized) layers.push_back(&layer), keys.push_back(layer.op + "  " + layer.reason);
  std::string text;
  for (const std::vector<size_t>& group : listing.groups(keys)) {
    text += "kept float: " + listing.names(group, [&](size_t i) { return layers[i]->name; }) + " (" +
            layers[group.front()]->op + ")  " + layers[group.front()]->reason + "\n";
  }
  return text;
}

}  // namespace

std::string to_text(const QuantizeWeightsReport& report, Lists lists) {
  Listing listing(lists);
  std::string text = std::filesystem::path(report.model).filename().string() + "  opset " +
                     std::to_string(report.opset) + ", " + bytes_text(report.model_bytes) + "     target " +
                     report.target + "\n";
  if (report.written_opset != report.opset)
    text += "raised opset from " + std::to_string(report.opset) + " to " + std::to_string(report.written_opset) + "\n";
  if (report.rearranged > 0) text += "transposed the weights of " + plural(report.rearranged, "product") + "\n";
  text += weights_text(report) + tables_text(report);
  if (report.rounding) text += rounding_text(*report.rounding);
  text += float_text(report, listing);
  if (report.bound) text += bound_text(*report.bound);
  if (report.score && !report.bound) text += measured_score_text(*report.score);
  for (const std::string& note : listing.sentences(report.notes)) text += "note: " + note + "\n";
  text += report.error ? error_text(*report.error, report.error_source, listing)
                       : "error against FP32: not measured: no data\n";
  text += "wrote " + report.output + " (" + bytes_text(report.output_bytes) +
          fmt::format(", {:.3f} of the float model) in {:.1f} s, peak {:.0f} MB\n",
                      ratio_of(report.output_bytes, report.model_bytes), report.seconds, report.peak_mb);
  return text + listing.closing() + verdict_text(report.verdict);
}

}  // namespace detent
