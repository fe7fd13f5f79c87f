#include <algorithm>
#include <cmath>
#include <vector>

#include "report/html/cells.h"
#include "report/html/markup.h"
#include "report/html/numbers.h"
#include "report/html/sections.h"
#include "report/quantities.h"
#include "report/weight_format.h"

namespace detent::html {
namespace {

using WeightLayer = QuantizeWeightsReport::Layer;

/// Quantized layers first, what lost most at the top; then those that stay float, as they come.
std::vector<WeightLayer> worst_first(std::vector<WeightLayer> layers) {
  std::ranges::stable_sort(layers, {}, [](const WeightLayer& layer) {
    return std::pair(!layer.quantized, layer.quantized ? layer.sqnr_db : 0);
  });
  return layers;
}

Table::Row weights_row(const WeightLayer& layer, const std::string& type) {
  const auto elements = static_cast<double>(layer.elements);
  const std::string name = name_markup(layer.name) + " <small>" + escape(layer.op) + "</small>";
  if (!layer.quantized)
    return {.cells = {{name + "<p class=\"reason\">" + escape(layer.reason) + "</p>"},
                      {"<span class=\"tag\">float</span>", 0},
                      {"<td></td>"},
                      {count_text(elements), elements}},
            .attributes = " class=\"float\""};
  return {{{name},
           {"<span class=\"tag int8\">" + type + "</span>", 1},
           {fixed_text(layer.sqnr_db, 2), layer.sqnr_db},
           {count_text(elements), elements}}};
}

/// " Embeddings, positions and masks as 8-bit integers: e.weight (44.8 dB), mask (exact)." Empty where there are none.
std::string tables_sentence(const QuantizeWeightsReport& report) {
  std::string codes, left;
  for (const auto& table : report.tables) {
    std::string& list = table.quantized ? codes : left;
    list += (list.empty() ? "" : ", ") + name_markup(table.name);
    if (table.quantized) list += std::isinf(table.sqnr_db) ? " (exact)" : " (" + fixed_text(table.sqnr_db, 1) + " dB)";
  }
  std::string html;
  if (!codes.empty()) html += " Embeddings, positions and masks as 8-bit integers: " + codes + ".";
  if (!left.empty()) html += " In float, because codes would lose small numbers: " + left + ".";
  return html;
}

/// What codes that keep the layers' outputs gained over the nearest ones.
std::string rounding_sentence(const QuantizeWeightsReport& report) {
  if (!report.rounding) return "Codes are the nearest ones: there was no data.";
  const QuantizeWeightsReport::Rounding& rounding = *report.rounding;
  const std::string reason = rounding.reason.empty() ? std::string() : ": " + escape(rounding.reason);
  if (rounding.layers == 0) return "Codes are the nearest ones" + reason + ".";
  const auto told = [](const std::optional<double>& db) { return db ? fixed_text(*db, 2) : std::string("\u2013"); };
  return "Codes that keep what layers put out change " + plural(rounding.layers, "layer") + ": SQNR " +
         told(rounding.before_db) + " dB with the nearest ones, " + told(rounding.after_db) + " dB with these" +
         (rounding.kept ? ", kept" : ", dropped") + reason + ".";
}

}  // namespace

std::string weights_section(const QuantizeWeightsReport& report) {
  if (report.layers.empty()) return {};
  const auto quantized = std::ranges::count_if(report.layers, &WeightLayer::quantized);
  Table table{{{"Layer", Kind::Name},
               {"Weight", Kind::Tag},
               {"SQNR, dB", Kind::Number, "Of the weight behind its codes against the float one"},
               {"Elements", Kind::Minor, "Of the weight"}}};
  const std::string type(title_of(report.format.codes));
  for (const WeightLayer& layer : worst_first(report.layers)) table.rows.push_back(weights_row(layer, type));
  return "<section id=\"weights\"><h2>Weights</h2><p class=\"lead\">" + std::to_string(quantized) + " of " +
         plural(report.layers.size(), "weighted layer") + " as " + escape(format_text(report.format)) + ". " +
         rounding_sentence(report) + tables_sentence(report) +
         "</p><div data-search=\"weights-table\" data-label=\"Search layers\" data-float-only=\"float only\">" +
         table_markup(table, "id=\"weights-table\" class=\"wide\" data-shown=\"15\"") + "</div></section>\n";
}

}  // namespace detent::html
