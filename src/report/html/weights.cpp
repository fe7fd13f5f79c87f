#include <algorithm>
#include <cmath>
#include <vector>

#include "report/html/parts.h"
#include "report/html/sections.h"

namespace detent::html {
namespace {

using WeightLayer = QuantizeWeightsReport::Layer;

/// Sorts quantized layers by their loss, largest first, followed by float layers in model order.
std::vector<WeightLayer> worst_first(std::vector<WeightLayer> layers) {
  std::ranges::stable_sort(layers, {}, [](const WeightLayer& layer) {
    return std::pair(!layer.quantized, layer.quantized ? layer.sqnr_db : 0);
  });
  return layers;
}

Table::Row weights_row(const WeightLayer& layer, const std::string& type) {
  const auto elements = static_cast<double>(layer.elements);
  const std::string name = node_name(layer.name, layer.op);
  if (!layer.quantized)
    return {.cells = {{name + why("", layer.reason)}, {tag("float")}, {"<td></td>"}, {count_text(elements), elements}},
            .attributes = " class=\"float\""};
  return {{{name}, {tag(type, "int8"), 1}, fixed_cell(layer.sqnr_db, 2), {count_text(elements), elements}}};
}

/// Returns " Embeddings, positions and masks as 8-bit integers: e.weight (44.8 dB), mask (exact)."; "" without any.
std::string tables_sentence(const QuantizeWeightsReport& report) {
  std::string codes, left;
  for (const auto& table : report.tables) {
    std::string& list = table.quantized ? codes : left;
    list += (list.empty() ? "" : ", ") + name_markup(table.name);
    if (table.quantized) list += std::isinf(table.sqnr_db) ? " (exact)" : " (" + fixed_text(table.sqnr_db, 1) + " dB)";
  }
  std::string html;
  if (!codes.empty()) html += " Embeddings, positions and masks as 8-bit integers: " + codes + ".";
  if (!left.empty()) html += " Kept float, since codes would lose small numbers: " + left + ".";
  return html;
}

/// Returns the gain of codes that preserve the layers' outputs over the nearest codes.
std::string rounding_sentence(const QuantizeWeightsReport& report) {
  if (!report.rounding) return "Codes are the nearest ones: there was no data.";
  const QuantizeWeightsReport::Rounding& rounding = *report.rounding;
  const std::string reason = rounding.reason.empty() ? std::string() : ": " + escape(rounding.reason);
  if (rounding.layers == 0) return "Codes are the nearest ones" + reason + ".";
  const auto told = [](const std::optional<double>& db) { return db ? fixed_text(*db, 2) : std::string("\u2013"); };
  return "Codes that preserve the layers' outputs change " + plural(rounding.layers, "layer") + ": SQNR " +
         told(rounding.before_db) + " dB with the nearest ones, " + told(rounding.after_db) + " dB with these" +
         (rounding.kept ? ", kept" : ", dropped") + reason + ".";
}

}  // namespace

std::string weights_section(const QuantizeWeightsReport& report) {
  if (report.layers.empty()) return {};
  const auto quantized = std::ranges::count_if(report.layers, &WeightLayer::quantized);
  Table table{{{"Layer", Kind::Name},
               {"Weight", Kind::Tag},
               {"SQNR, dB", Kind::Number, "Of the quantized weight against the float one"},
               {"Elements", Kind::Minor, "Of the weight"}}};
  const std::string type(title_of(report.format.codes));
  for (const WeightLayer& layer : worst_first(report.layers)) table.rows.push_back(weights_row(layer, type));
  return section("weights", "Weights",
                 std::to_string(quantized) + " of " + plural(report.layers.size(), "weighted layer") + " as " +
                     escape(format_text(report.format)) + ". " + rounding_sentence(report) + tables_sentence(report),
                 searchable(table, "weights-table", "Search layers", kShownFirst, kFloatOnly));
}

}  // namespace detent::html
