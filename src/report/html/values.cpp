#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "report/html/markup.h"
#include "report/html/numbers.h"
#include "report/html/sections.h"
#include "report/html/value_chart.h"
#include "report/quantities.h"

namespace detent::html {
namespace {

using Edges = std::map<std::string, std::vector<const PlanReport::Edge*>>;

/// One line of the list of values.
struct Entry {
  const ValueHistogram* value = nullptr;
  size_t position = 0;                                            ///< in the model, from 1
  double spread = std::numeric_limits<double>::quiet_NaN();       ///< see range_spread
  double own_sqnr_db = std::numeric_limits<double>::quiet_NaN();  ///< NaN where it was not measured
};

/// Worst own error first where it was measured, else widest disagreement of the calibrators; the rest in model order.
std::vector<Entry> ranked_entries(const ComparisonReport& report, const SensitivityReport* sensitivity) {
  std::map<std::string, double> own;
  if (sensitivity)
    for (const auto& local : sensitivity->values) own[local.value] = local.sqnr_db;
  std::vector<Entry> entries;
  for (size_t i = 0; i < report.values.size(); ++i) {
    entries.push_back({&report.values[i], i + 1, range_spread(report.values[i])});
    if (const auto found = own.find(report.values[i].name); found != own.end())
      entries.back().own_sqnr_db = found->second;
  }
  const auto badness = [&](const Entry& entry) {
    const double value = own.empty() ? entry.spread : -entry.own_sqnr_db;
    return std::isnan(value) ? -std::numeric_limits<double>::infinity() : value;
  };
  std::stable_sort(entries.begin(), entries.end(),
                   [&](const Entry& a, const Entry& b) { return badness(a) > badness(b); });
  return entries;
}

bool any_own_error(const std::vector<Entry>& entries) {
  return std::any_of(entries.begin(), entries.end(), [](const Entry& entry) { return !std::isnan(entry.own_sqnr_db); });
}

std::string list(const std::vector<Entry>& entries, bool own_errors) {
  const auto cell = [](double key, const std::string& text) {
    return "<td class=\"number\" data-key=\"" + key_text(key) + "\">" + text + "</td>";
  };
  std::string html =
      "<table id=\"value-list\"><thead><tr><th scope=\"col\" class=\"number\" data-sort=\"number\" title=\"Position in "
      "the model\"><abbr title=\"Position in the model\">#</abbr></th><th scope=\"col\" "
      "data-sort=\"text\">Value</th><th "
      "scope=\"col\" class=\"number\" data-sort=\"number\" title=\"Largest over smallest range that a calibrator "
      "chose\">Spread</th>";
  if (own_errors)
    html +=
        "<th scope=\"col\" class=\"number\" data-sort=\"number\" title=\"SQNR of the value after its own pair, in "
        "dB\">SQNR</th>";
  html += "</tr></thead><tbody>";
  for (size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    html += std::string("<tr") + (i == 0 ? " class=\"chosen\"" : "") + ">" +
            cell(static_cast<double>(entry.position), std::to_string(entry.position)) +
            "<th scope=\"row\"><a href=\"#value-" + std::to_string(entry.position) + "\">" +
            name_markup(entry.value->name) + " <small>" + escape(entry.value->op) + "</small></a></th>" +
            cell(entry.spread, std::isnan(entry.spread) ? "\u2013" : fixed_text(entry.spread, 1) + "\u00D7");
    if (own_errors) html += cell(entry.own_sqnr_db, fixed_text(entry.own_sqnr_db, 1));
    html += "</tr>\n";
  }
  return html + "</tbody></table>";
}

/// "1,234,567 elements from −0.28 to 6.02, 12.3 % of them zero (not drawn)".
std::string facts(const Entry& entry) {
  const ValueHistogram& value = *entry.value;
  std::string text = grouped_text(value.count) + (value.count == 1 ? " element" : " elements") + " from " +
                     number_text(value.min) + " to " + number_text(value.max);
  if (value.zeros > 0 && value.count > 0)
    text += ", " + percent_text(static_cast<double>(value.zeros) / static_cast<double>(value.count)) +
            " of them zero (not drawn)";
  text += ".";
  if (!std::isnan(entry.own_sqnr_db))
    text += " Its own SQNR after quantization is " + fixed_text(entry.own_sqnr_db, 1) + "\u00A0dB.";
  return text;
}

std::string readers(const std::vector<const PlanReport::Edge*>& edges) {
  std::string html = "<h4>Read by</h4><ul class=\"readers\">";
  for (const PlanReport::Edge* edge : edges)
    html += "<li><span class=\"tag" + std::string(edge->pair ? " int8\">INT8" : "\">float") + "</span> <span>" +
            name_markup(edge->consumer) + " <small>" + escape(edge->op) + "</small><br><span class=\"reason\">" +
            escape(edge->reason) + "</span></span></li>";
  return html + "</ul>";
}

std::string article(const Entry& entry, const Edges& edges, const std::string& best, bool first) {
  const std::string id = "value-" + std::to_string(entry.position);
  std::string html = "<article class=\"value" + std::string(first ? " chosen" : "") + "\" id=\"" + id +
                     "\" aria-labelledby=\"" + id + "-name\"><h3 id=\"" + id + "-name\">" +
                     name_markup(entry.value->name) + " <small>" + escape(entry.value->op) + "</small></h3><p>" +
                     facts(entry) + "</p>" + value_chart(*entry.value, best);
  if (const auto found = edges.find(entry.value->name); found != edges.end()) html += readers(found->second);
  return html + "</article>\n";
}

}  // namespace

std::string values_section(const ComparisonReport& report, const SensitivityReport* sensitivity) {
  if (report.values.empty()) return {};
  const std::vector<Entry> entries = ranked_entries(report, sensitivity);
  const bool own_errors = any_own_error(entries);
  Edges edges;
  for (const auto& edge : report.plan.edges) edges[edge.value].push_back(&edge);
  std::string html = "<section id=\"values\"><h2>Values and their ranges</h2><p class=\"lead\">" +
                     plural(report.values.size(), "value") + ", " +
                     (own_errors ? "largest own error first" : "those first on which the calibrators differ most") +
                     ". Bars count elements on a logarithmic scale; the lines are the range that each calibrator "
                     "keeps.</p><div class=\"browser\"><div class=\"list\" data-search=\"value-list\" "
                     "data-label=\"Search values\">" +
                     list(entries, own_errors) + "</div><div class=\"articles\">";
  for (size_t i = 0; i < entries.size(); ++i) html += article(entries[i], edges, report.winner, i == 0);
  return html + "</div></div></section>\n";
}

}  // namespace detent::html
