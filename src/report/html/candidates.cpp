#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "report/html/axis.h"
#include "report/html/cells.h"
#include "report/html/markup.h"
#include "report/html/metric.h"
#include "report/html/numbers.h"
#include "report/html/sections.h"
#include "report/quantities.h"

namespace detent::html {
namespace {

using Variant = ComparisonReport::Variant;
using Metrics = std::map<std::string, double>;

constexpr double kNoCandidate = std::numeric_limits<double>::quiet_NaN();

double value_or_nan(const Metrics& metrics, const std::string& name) {
  const auto found = metrics.find(name);
  return found == metrics.end() ? kNoCandidate : found->second;
}

/// The criterion's values on one line from the worst to the best, FP32 among them where it has one; one that collapsed
/// does not push the others together.
Extent criterion_extent(const ComparisonReport& report) {
  std::vector<double> values{value_or_nan(report.fp32, report.criterion)};
  for (const auto& variant : report.variants) values.push_back(value_or_nan(variant.metrics, report.criterion));
  return extent_of(std::move(values), metric_named(report.criterion).falls() ? Bad::High : Bad::Low);
}

Axis criterion_axis(const ComparisonReport& report) {
  const Extent extent = criterion_extent(report);
  return padded_axis(extent.low, extent.high, 0.06);
}

std::string position_chart(const Axis& axis, double value, double fp32) {
  std::string svg =
      "<svg class=\"position\" height=\"12\" aria-hidden=\"true\"><line class=\"grid\" x1=\"0\" x2=\"100%\" y1=\"6\" "
      "y2=\"6\"/>";
  if (std::isfinite(fp32)) {
    const std::string x = percentage(axis.at(fp32));
    svg += "<line class=\"reference\" x1=\"" + x + "\" x2=\"" + x + "\" y1=\"0\" y2=\"12\"/>";
  }
  if (axis.at(value) < 0 || axis.at(value) > 1)
    svg += beyond_mark(axis.at(value) < 0 ? Bad::Low : Bad::High, "y=\"6\"");
  else if (!std::isnan(value))
    svg += "<circle cx=\"" + percentage(axis.at(value)) + "\" cy=\"6\" r=\"4\"/>";
  return svg + "</svg>";
}

std::vector<Table::Column> candidates_columns(const ComparisonReport& report, const std::vector<std::string>& metrics) {
  std::vector<Table::Column> columns{{report.types ? "Type" : "Calibrator", Kind::Name}};
  for (size_t i = 0; i < metrics.size(); ++i) {
    const MetricStyle style = metric_style(metrics[i]);
    std::string unit = style.unit;
    unit.erase(0, unit.find_first_not_of("\xC2\xA0"));  // the no-break space between number and unit
    columns.push_back({escape(style.label) + (unit.empty() ? "" : ", " + unit), Kind::Number, style.meaning});
    if (i == 0 && metrics[i] == report.criterion) columns.push_back({"", Kind::Chart});
  }
  if (!report.types) columns.push_back({"Size"});
  columns.push_back({"Time"});
  return columns;
}

/// A candidate's row has a dot at its place on the axis.
enum class Dot { Shown, Hidden };

/// The standard error behind a score.
std::string error_markup(const MetricStyle& style, double error) {
  return " <small class=\"minor\">\u00B1" + fixed_text(style.factor * error, style.decimals) + "</small>";
}

/// Adds the cells of one row.
void add_metric_cells(Table::Row& row, const Metrics& values, const std::vector<std::string>& metrics,
                      const ComparisonReport& report, const Axis& axis, Dot dot,
                      const std::optional<double>& error = {}) {
  for (size_t i = 0; i < metrics.size(); ++i) {
    const double value = value_or_nan(values, metrics[i]);
    const MetricStyle style = metric_style(metrics[i]);
    const bool is_criterion = i == 0 && metrics[i] == report.criterion;
    row.cells.push_back({style.number(value) + (is_criterion && error ? error_markup(style, *error) : ""), value});
    if (is_criterion)
      row.cells.push_back({position_chart(axis, dot == Dot::Shown ? value : kNoCandidate,
                                          value_or_nan(report.fp32, report.criterion))});
  }
}

/// Adds size and time; types have a table of sizes of their own.
void add_size_and_time(Table::Row& row, const ComparisonReport& report, const Variant& variant) {
  const auto bytes = static_cast<double>(variant.size_bytes);
  if (!report.types) row.cells.push_back({variant.size_bytes ? bytes_text(bytes) : "\u2013", bytes});
  row.cells.push_back({fmt::format("{:.1f}\u00A0s", variant.seconds), variant.seconds});
}

std::string candidates_table(const ComparisonReport& report, const std::vector<std::string>& metrics) {
  const Axis axis = criterion_axis(report);
  Table table{candidates_columns(report, metrics)};
  const auto made_row = [&](const Variant& variant, const std::string& name, Dot dot) {
    Table::Row row{{{name}}, dot == Dot::Shown && variant.calibrator == report.winner ? "best" : ""};
    add_metric_cells(row, variant.metrics, metrics, report, axis, dot, variant.score_error);
    add_size_and_time(row, report, variant);
    return row;
  };
  for (const Variant& variant : report.variants) {
    const std::string takes =
        " <small>" + std::string(report.types ? "" : "takes ") + escape(variant.takes) + "</small>";
    table.rows.push_back(
        made_row(variant, escape(variant.calibrator) + (variant.takes.empty() ? "" : takes), Dot::Shown));
  }
  if (!report.fp32.empty()) {
    Table::Row& row = table.foot.emplace_back(Table::Row{{{"FP32"}}});
    add_metric_cells(row, report.fp32, metrics, report, axis, Dot::Hidden);
    row.cells.insert(row.cells.end(), report.types ? 1 : 2, {"<td></td>"});
  }
  for (const Variant& baseline : report.baselines)
    table.foot.push_back(
        made_row(baseline, escape(baseline.calibrator) + " <small>without pairs</small>", Dot::Hidden));
  return scrolling(table_markup(table, "id=\"candidates-table\""), "Candidates");
}

/// SQNR of every output under every calibrator, for models with several.
std::string outputs_table(const ComparisonReport& report) {
  std::vector<std::string> names;
  for (const Variant& variant : report.variants)
    for (const auto& output : variant.outputs)
      if (std::find(names.begin(), names.end(), output.name) == names.end()) names.push_back(output.name);
  if (names.size() < 2) return {};
  std::string html =
      "<h3>Each output: SQNR in dB, of integers the share of equal elements</h3><div class=\"scroll\" role=\"region\" "
      "tabindex=\"0\" aria-label=\"SQNR of each output\"><table id=\"outputs\"><thead><tr><th scope=\"col\" "
      "data-sort=\"text\">Output</th>";
  for (const Variant& variant : report.variants)
    html += "<th scope=\"col\" class=\"number\" data-sort=\"number\">" + escape(variant.calibrator) + "</th>";
  html += "</tr></thead><tbody>";
  for (const std::string& name : names) {
    html += "<tr><th scope=\"row\">" + name_markup(name) + "</th>";
    for (const Variant& variant : report.variants) {
      const auto found = std::find_if(variant.outputs.begin(), variant.outputs.end(),
                                      [&](const auto& output) { return output.name == name; });
      const double value = found == variant.outputs.end() ? kNoCandidate : found->sqnr_db.value_or(kNoCandidate);
      const bool integers = found != variant.outputs.end() && found->kind == OutputKind::Integers;
      html += integers
                  ? number_cell(found->agreement.value_or(kNoCandidate), percent_text(found->agreement.value_or(0)))
                  : number_cell(value, fixed_text(value, 2));
    }
    html += "</tr>";
  }
  return html + "</tbody></table></div>";
}

}  // namespace

std::string candidates_section(const ComparisonReport& report) {
  if (report.variants.empty()) return {};
  const std::vector<std::string> metrics = metrics_of(report);
  const bool sure =
      std::ranges::any_of(report.variants, [](const Variant& one) { return one.score_error.has_value(); });
  const std::string lead =
      std::string(report.types ? "<p class=\"lead\">Each was calibrated and run on the same samples."
                               : "<p class=\"lead\">Each was calibrated on the same histograms and run on the same "
                                 "samples.") +
      std::string(sure ? " Behind \u00B1 stands the standard error over the samples." : "") +
      std::string(report.fp32.count(report.criterion) ? "<span class=\"chart\"> The dotted line is FP32.</span>" : "") +
      (criterion_extent(report).cut
           ? "<span class=\"chart\"> An arrowhead stands for a value far beyond the end of the line.</span>"
           : "") +
      "</p>";
  return "<section id=\"candidates\"><h2>Candidates</h2>" + lead + candidates_table(report, metrics) +
         type_sizes_table(report) + outputs_table(report) + "</section>\n";
}

}  // namespace detent::html
