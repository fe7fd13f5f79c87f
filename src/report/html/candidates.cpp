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

/// The criterion's values on one line from the worst to the best, FP32 among them where it has one; one that collapsed does not
/// push the others together.
Extent criterion_extent(const ComparisonReport& report) {
  std::vector<double> values{value_or_nan(report.fp32, report.criterion)};
  for (const auto& variant : report.variants) values.push_back(value_or_nan(variant.metrics, report.criterion));
  return extent_of(std::move(values), metric_named(report.criterion).falls() ? Bad::High : Bad::Low);
}

Axis criterion_axis(const ComparisonReport& report) {
  const Extent extent = criterion_extent(report);
  return padded_axis(extent.low, extent.high, 0.06);
}

std::string position_cell(const Axis& axis, double value, double fp32) {
  std::string svg =
      "<svg class=\"position\" height=\"12\" aria-hidden=\"true\"><line class=\"grid\" x1=\"0\" x2=\"100%\" "
      "y1=\"6\" y2=\"6\"/>";
  if (std::isfinite(fp32)) {
    const std::string x = percentage(axis.at(fp32));
    svg += "<line class=\"reference\" x1=\"" + x + "\" x2=\"" + x + "\" y1=\"0\" y2=\"12\"/>";
  }
  if (axis.at(value) < 0 || axis.at(value) > 1)
    svg += beyond_mark(axis.at(value) < 0 ? Bad::Low : Bad::High, "y=\"6\"");
  else if (!std::isnan(value))
    svg += "<circle cx=\"" + percentage(axis.at(value)) + "\" cy=\"6\" r=\"4\"/>";
  return "<td class=\"chart\">" + svg + "</svg></td>";
}

std::string candidates_head(const ComparisonReport& report, const std::vector<std::string>& metrics) {
  const std::string& criterion = report.criterion;
  std::string html = std::string("<thead><tr><th scope=\"col\" data-sort=\"text\">") +
                     (report.types ? "Type" : "Calibrator") + "</th>";
  for (size_t i = 0; i < metrics.size(); ++i) {
    const MetricStyle style = metric_style(metrics[i]);
    std::string unit = style.unit;
    unit.erase(0, unit.find_first_not_of("\xC2\xA0"));  // the no-break space between number and unit
    html += "<th scope=\"col\" class=\"number\" data-sort=\"number\"" +
            (style.meaning.empty() ? "" : " title=\"" + escape(style.meaning) + "\"") + ">" + escape(style.label) +
            (unit.empty() ? "" : ", " + unit) + "</th>";
    if (i == 0 && metrics[i] == criterion) html += "<td class=\"chart\"></td>";
  }
  if (!report.types) html += "<th scope=\"col\" class=\"number\" data-sort=\"number\">Size</th>";
  return html + "<th scope=\"col\" class=\"number\" data-sort=\"number\">Time</th></tr></thead>";
}

/// A candidate's row has a dot at its place on the axis.
enum class Dot { Shown, Hidden };

/// The standard error behind a score.
std::string error_markup(const MetricStyle& style, double error) {
  return " <small class=\"minor\">\u00B1" + fixed_text(style.factor * error, style.decimals) + "</small>";
}

/// The cells of one row.
std::string metric_cells(const Metrics& values, const std::vector<std::string>& metrics, const ComparisonReport& report,
                         const Axis& axis, Dot dot, const std::optional<double>& error = {}) {
  std::string html;
  for (size_t i = 0; i < metrics.size(); ++i) {
    const double value = value_or_nan(values, metrics[i]);
    const MetricStyle style = metric_style(metrics[i]);
    const bool is_criterion = i == 0 && metrics[i] == report.criterion;
    html += number_cell(value, style.number(value) + (is_criterion && error ? error_markup(style, *error) : ""));
    if (i == 0 && metrics[i] == report.criterion)
      html +=
          position_cell(axis, dot == Dot::Shown ? value : kNoCandidate, value_or_nan(report.fp32, report.criterion));
  }
  return html;
}

/// Types have a table of sizes of their own.
std::string size_and_time_cells(const ComparisonReport& report, const Variant& variant) {
  const std::string size =
      number_cell(static_cast<double>(variant.size_bytes),
                  variant.size_bytes ? bytes_text(static_cast<double>(variant.size_bytes)) : "\u2013");
  return (report.types ? std::string() : size) +
         number_cell(variant.seconds, fmt::format("{:.1f}\u00A0s", variant.seconds));
}

std::string rows(const ComparisonReport& report, const std::vector<std::string>& metrics) {
  const Axis axis = criterion_axis(report);
  std::string html = "<tbody>";
  for (const Variant& variant : report.variants) {
    const bool best = variant.calibrator == report.winner;
    html += std::string("<tr") + (best ? " class=\"best\"" : "") + "><th scope=\"row\">" + escape(variant.calibrator) +
            (variant.takes.empty()
                 ? ""
                 : std::string(" <small>") + (report.types ? "" : "takes ") + escape(variant.takes) + "</small>") +
            (best ? " <span class=\"badge\">best</span>" : "") + "</th>" +
            metric_cells(variant.metrics, metrics, report, axis, Dot::Shown, variant.score_error) +
            size_and_time_cells(report, variant) + "</tr>\n";
  }
  html += "</tbody>";
  std::string foot;
  if (!report.fp32.empty())
    foot += "<tr><th scope=\"row\">FP32</th>" + metric_cells(report.fp32, metrics, report, axis, Dot::Hidden) +
            (report.types ? "<td></td></tr>" : "<td></td><td></td></tr>");
  for (const Variant& baseline : report.baselines)
    foot += "<tr><th scope=\"row\">" + escape(baseline.calibrator) + " <small>without pairs</small></th>" +
            metric_cells(baseline.metrics, metrics, report, axis, Dot::Hidden, baseline.score_error) +
            size_and_time_cells(report, baseline) + "</tr>";
  return foot.empty() ? html : html + "<tfoot>" + foot + "</tfoot>";
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
      "tabindex=\"0\" "
      "aria-label=\"SQNR of each output\"><table id=\"outputs\"><thead><tr><th scope=\"col\" "
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
  return "<section id=\"candidates\"><h2>Candidates</h2>" + lead +
         "<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
         "aria-label=\"Candidates\"><table id=\"candidates-table\">" +
         candidates_head(report, metrics) + rows(report, metrics) + "</table></div>" + type_sizes_table(report) +
         outputs_table(report) + "</section>\n";
}

}  // namespace detent::html
