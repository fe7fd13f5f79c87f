#include <cmath>

#include "report/html/axis.h"
#include "report/html/cells.h"
#include "report/html/markup.h"
#include "report/html/numbers.h"
#include "report/html/sections.h"
#include "report/quantities.h"
#include "report/ranked_layers.h"
#include "report/weight_format.h"

namespace detent::html {
namespace {

using SensitiveLayer = SensitivityReport::Layer;

Extent decibel_extent(const SensitivityReport& report) {
  std::vector<double> values{report.sqnr_db_all};
  for (const SensitiveLayer& layer : report.layers)
    values.push_back(layer.sqnr_db_alone), values.push_back(layer.sqnr_db_all_but);
  return extent_of(std::move(values), Bad::Low);
}

/// Whole steps of 5 dB around everything finite, but for layers far below all others.
Axis decibel_axis(const SensitivityReport& report) {
  const Extent extent = decibel_extent(report);
  if (extent.low > extent.high) return {0, 60};
  return {5 * std::floor((extent.low - 0.5) / 5), 5 * std::ceil((extent.high + 0.5) / 5)};
}

std::string vertical(const char* kind, const Axis& axis, double value) {
  const std::string x = percentage(axis.at(value));
  return "<line class=\"" + std::string(kind) + "\" x1=\"" + x + "\" x2=\"" + x + "\" y1=\"0\" y2=\"100%\"/>";
}

std::string sensitivity_row_chart(const SensitivityReport& report, const SensitiveLayer& layer, const Axis& axis) {
  std::string svg = "<svg class=\"dots\" height=\"100%\" aria-hidden=\"true\">";
  for (const double tick : axis.ticks(5)) svg += vertical("grid", axis, tick);
  if (std::isfinite(report.sqnr_db_all)) svg += vertical("reference", axis, report.sqnr_db_all);
  // From "all layers" to "all but this one": what it would bring to keep the layer float.
  svg += "<line class=\"gain\" x1=\"" + percentage(axis.at(report.sqnr_db_all)) + "\" x2=\"" +
         percentage(axis.at(layer.sqnr_db_all_but)) + "\" y1=\"50%\" y2=\"50%\"/>";
  const auto dot = [&](const char* kind, double value, const char* radius) {
    if (axis.at(value) < 0) return beyond_mark(Bad::Low, "y=\"50%\"");
    return "<circle class=\"" + std::string(kind) + "\" cx=\"" + percentage(axis.at(value)) + "\" cy=\"50%\" r=\"" +
           radius + "\"/>";
  };
  svg += dot("but", layer.sqnr_db_all_but, "3.5") + dot("alone", layer.sqnr_db_alone, "4.5");
  return svg + "</svg>";
}

Table::Row sensitivity_row(const SensitivityReport& report, const SensitiveLayer& layer, const Axis& axis) {
  const double gain = layer.sqnr_db_all_but - report.sqnr_db_all;
  Table::Row row{{{name_markup(layer.name) + " <small>" + escape(layer.op) + "</small>"},
                  {sensitivity_row_chart(report, layer, axis)},
                  {fixed_text(layer.sqnr_db_alone, 1), layer.sqnr_db_alone},
                  {signed_text(gain, 2), gain}}};
  row.attributes = " title=\"Only this layer in INT8: " + fixed_text(layer.sqnr_db_alone, 1) +
                   " dB. All but this layer: " + fixed_text(layer.sqnr_db_all_but, 1) + " dB.\"";
  if (layer.nats_alone) row.cells.push_back({fixed_text(*layer.nats_alone, 4), *layer.nats_alone});
  row.cells.push_back({layer.macs_share > 0 ? percent_text(layer.macs_share) : "\u2013", layer.macs_share});
  return row;
}

Table sensitivity_table(const Axis& axis, bool scored, bool weights) {
  Table table{
      {{"Layer", Kind::Name},
       {"<svg class=\"scale\" height=\"16\" aria-hidden=\"true\">" + tick_labels(axis, axis.ticks(5), 13) + "</svg>",
        Kind::Chart},
       {"Alone", Kind::Number, "SQNR at the output when only this layer is in INT8, in dB"},
       {"Gain", Kind::Number, "What SQNR at the output gains when this layer stays float, in dB"}}};
  if (scored)
    table.columns.push_back({"Nats alone", Kind::Number, "Cross entropy a token when only this layer is in INT8"});
  table.columns.push_back(weights ? Table::Column{"Weights", Kind::Minor, "Share of the elements of all weights"}
                                  : Table::Column{"<th scope=\"col\" class=\"number minor\" data-sort=\"number\" "
                                                  "title=\"Share of the model's MACs\">MACs</th>",
                                                  Kind::Minor});
  return table;
}

/// "; with all of them 1.4359 nats a token, FP32 1.4204"; empty: not scored.
std::string cross_entropy(const SensitivityReport& report) {
  const auto nats = report.all.find(metrics::kNats.name);
  if (nats == report.all.end()) return {};
  return "; with all of them " + fixed_text(nats->second, 4) + " nats a token (perplexity " +
         fixed_text(report.all.at(metrics::kPerplexity.name), 3) + "), FP32 " +
         fixed_text(report.fp32.at(metrics::kNats.name), 4);
}

}  // namespace

std::string sensitivity_section(const SensitivityReport& report) {
  const std::vector<SensitiveLayer> layers = ranked_layers(report);
  if (layers.empty()) return {};
  const Axis axis = decibel_axis(report);
  Table table = sensitivity_table(axis, layers.front().nats_alone.has_value(), report.weights.has_value());
  for (const SensitiveLayer& layer : layers) table.rows.push_back(sensitivity_row(report, layer, axis));
  return "<section id=\"sensitivity\"><h2>Sensitivity of layers</h2><p class=\"lead\">SQNR at the output in dB, worst "
         "layer first, measured with " +
         escape(report.weights ? format_text(*report.weights) : report.calibrator) + " on " +
         plural(report.evaluation_samples, "sample") + cross_entropy(report) + "." +
         (decibel_extent(report).cut ? " An arrowhead stands for a value far beyond the end of the axis." : "") +
         "</p><p class=\"key\" aria-hidden=\"true\"><span><svg width=\"12\" height=\"12\"><circle class=\"alone\" "
         "cx=\"6\" cy=\"6\" r=\"4.5\"/></svg>only this layer in INT8</span><span><svg width=\"12\" "
         "height=\"12\"><circle class=\"but\" cx=\"6\" cy=\"6\" r=\"3.5\"/></svg>all but this layer</span><span><svg "
         "width=\"12\" height=\"12\"><line class=\"reference\" x1=\"6\" x2=\"6\" y1=\"0\" y2=\"12\"/></svg>all "
         "layers, " +
         fixed_text(report.sqnr_db_all, 1) + "\u00A0dB</span></p>" +
         table_markup(table, "id=\"sensitivity-table\" class=\"wide dumbbells\" data-shown=\"15\"") + "</section>\n";
}

}  // namespace detent::html
