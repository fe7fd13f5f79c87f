#include <cctype>
#include <cmath>
#include <span>

#include "report/html/axis.h"
#include "report/html/metric.h"
#include "report/html/parts.h"
#include "report/html/sections.h"
#include "report/output_errors.h"

namespace detent::html {
namespace {

using SensitiveLayer = SensitivityReport::Layer;

Extent decibel_extent(const SensitivityReport& report) {
  std::vector<double> values{report.sqnr_db_all};
  for (const SensitiveLayer& layer : report.layers)
    values.push_back(layer.sqnr_db_alone), values.push_back(layer.sqnr_db_all_but);
  return extent_of(std::move(values), Bad::Low);
}

/// Returns an axis in steps of 5 dB around all finite values, except those of layers far below the others.
Axis decibel_axis(const SensitivityReport& report) {
  const Extent extent = decibel_extent(report);
  if (extent.low > extent.high) return {0, 60};
  return {5 * std::floor((extent.low - 0.5) / 5), 5 * std::ceil((extent.high + 0.5) / 5)};
}

std::string sensitivity_row_chart(const SensitivityReport& report, const SensitiveLayer& layer, const Axis& axis) {
  std::string svg = "<svg class=\"dots\" height=\"100%\" aria-hidden=\"true\">";
  for (const double tick : axis.ticks(5)) svg += vertical_line("grid", axis, tick);
  if (std::isfinite(report.sqnr_db_all)) svg += vertical_line("reference", axis, report.sqnr_db_all);
  const auto dot = [&](const char* kind, double value, const char* radius) {
    return axis.at(value) < 0 ? beyond_mark(Bad::Low, "y=\"50%\"") : dot_mark(kind, axis, value, radius);
  };
  // The line is the gain of keeping the layer float.
  return svg + gain_line(axis, report.sqnr_db_all, layer.sqnr_db_all_but) + dot("but", layer.sqnr_db_all_but, "3.5") +
         dot("alone", layer.sqnr_db_alone, "4.5") + "</svg>";
}

/// Returns the name of the type of codes.
std::string codes_of(const SensitivityReport& report) {
  return std::string(report.weights ? title_of(report.weights->codes) : name_of(report.plan.coverage.type));
}

Table::Row sensitivity_row(const SensitivityReport& report, const SensitiveLayer& layer, const Axis& axis) {
  Table::Row row{{{node_name(layer.name, layer.op)},
                  {sensitivity_row_chart(report, layer, axis)},
                  fixed_cell(layer.sqnr_db_alone, 1),
                  signed_cell(layer.sqnr_db_all_but - report.sqnr_db_all, 2)}};
  row.attributes = " title=\"Only this layer in " + codes_of(report) + ": " + fixed_text(layer.sqnr_db_alone, 1) +
                   " dB. All except this layer: " + fixed_text(layer.sqnr_db_all_but, 1) + " dB.\"";
  for (const auto& [metric, alone, all_but] : scores_of(std::span(&layer, 1)))
    row.cells.push_back(fixed_cell(metric.factor() * (layer.*alone).value_or(0), metric.decimals));
  row.cells.push_back({layer.macs_share > 0 ? percent_text(layer.macs_share) : "\u2013", layer.macs_share});
  return row;
}

Table sensitivity_table(const Axis& axis, const std::vector<LayerScore>& scores, const std::string& codes,
                        bool weights) {
  Table table{{{"Layer", Kind::Name},
               {scale_head(axis, axis.ticks(5)), Kind::Chart},
               {"Alone", Kind::Number, "SQNR at the output with only this layer in " + codes + ", in dB"},
               {"Gain", Kind::Number, "Rise of the SQNR at the output if this layer stays float, in dB"}}};
  for (const LayerScore& score : scores) {
    std::string head = score.metric.title;
    head.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(head.front())));
    table.columns.push_back({head + (score.metric.factor() == 100 ? " alone, %" : " alone"), Kind::Number,
                             score.metric.meaning + (", with only this layer in " + codes)});
  }
  table.columns.push_back(weights ? Table::Column{"Weights", Kind::Minor, "Share of the elements of all weights"}
                                  : Table::Column{"<th scope=\"col\" class=\"number minor\" data-sort=\"number\" "
                                                  "title=\"Share of the model's MACs\">MACs</th>",
                                                  Kind::Minor});
  return table;
}

/// Returns "; with all of them 1.4359 nats a token, FP32 1.4204"; "" if not scored.
std::string cross_entropy(const SensitivityReport& report) {
  const auto nats = report.all.find(metrics::kNats.name);
  if (nats == report.all.end()) return {};
  return "; with all of them " + fixed_text(nats->second, 4) + " nats a token (perplexity " +
         fixed_text(report.all.at(metrics::kPerplexity.name), 3) + "), FP32 " +
         fixed_text(report.fp32.at(metrics::kNats.name), 4);
}

/// Returns "; with all of them 97.31 % of the detections"; "" of other models than detectors.
std::string agreement(const SensitivityReport& report) {
  const auto found = report.all.find(metrics::kDetectionAgreement.name);
  if (found == report.all.end()) return {};
  return "; with all of them an agreement of detections of " +
         metric_style(metrics::kDetectionAgreement.name).text(found->second);
}

}  // namespace

std::string sensitivity_section(const SensitivityReport& report) {
  const std::vector<SensitiveLayer> layers = ranked_layers(report);
  if (layers.empty()) return {};
  const Axis axis = decibel_axis(report);
  Table table = sensitivity_table(axis, scores_of(layers), codes_of(report), report.weights.has_value());
  for (const SensitiveLayer& layer : layers) table.rows.push_back(sensitivity_row(report, layer, axis));
  constexpr std::string_view kButShape = "<circle class=\"but\" cx=\"6\" cy=\"6\" r=\"3.5\"/>";
  return section(
      "sensitivity", "Sensitivity of layers",
      "SQNR at the output in dB, worst layer first, measured with " +
          escape(report.weights ? format_text(*report.weights) : report.calibrator) + " on " +
          plural(report.evaluation_samples, "sample") + cross_entropy(report) + agreement(report) + "." +
          (decibel_extent(report).cut ? " An arrowhead marks a value far beyond the end of the axis." : ""),
      chart_key(key_entry(kAloneShape, "only this layer in " + codes_of(report)) +
                key_entry(kButShape, "all except this layer") +
                key_entry(kReferenceShape, "all layers, " + fixed_text(report.sqnr_db_all, 1) + "\u00A0dB")) +
          table_markup(table, "id=\"sensitivity-table\" class=\"wide dumbbells\" data-shown=\"15\""));
}

}  // namespace detent::html
