#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "report/html/document.h"
#include "report/html/parts.h"
#include "report/html/value_chart.h"

namespace detent::html {
namespace {

using Edges = std::map<std::string, std::vector<const PlanReport::Edge*>>;

/// An entry of the list of values.
struct Entry {
  const ValueHistogram* value = nullptr;
  size_t position = 0;                                            ///< in the model, from 1
  double spread = std::numeric_limits<double>::quiet_NaN();       ///< of range_spread()
  const ValueHistogram::ChosenRange* range = nullptr;             ///< of the best calibrator; nullptr: none
  double clipped = 0;                                             ///< fraction of the elements, by the best range
  double own_sqnr_db = std::numeric_limits<double>::quiet_NaN();  ///< NaN where it was not measured
  std::string encoding;                                           ///< a sentence; may be empty
};

const ValueHistogram::ChosenRange* best_range(const ValueHistogram& value, const std::string& best) {
  if (value.ranges.size() == 1) return value.ranges.data();
  const auto range = std::ranges::find(value.ranges, best, &ValueHistogram::ChosenRange::calibrator);
  return range == value.ranges.end() ? nullptr : &*range;
}

/// Order of the list, and the number beside each name.
enum class Ranking { OwnError, Spread, Clipped };

/// Returns true where several calibrators chose ranges.
bool has_candidates(const document::Histograms& view) {
  return std::ranges::any_of(*view.values, [](const ValueHistogram& value) { return value.ranges.size() > 1; });
}

Ranking ranking_of(const document::Histograms& view) {
  if (!view.own_sqnr_db.empty()) return Ranking::OwnError;
  return has_candidates(view) ? Ranking::Spread : Ranking::Clipped;
}

/// Sorts the values, worst first and of equals in model order.
std::vector<Entry> ranked_entries(const document::Histograms& view, Ranking ranking) {
  std::vector<Entry> entries;
  for (size_t i = 0; i < view.values->size(); ++i) {
    const ValueHistogram& value = (*view.values)[i];
    Entry& entry = entries.emplace_back();
    entry.value = &value;
    entry.position = i + 1;
    entry.spread = range_spread(value);
    entry.range = best_range(value, view.best);
    if (entry.range) entry.clipped = clipped_fraction(value, entry.range->min, entry.range->max);
    if (const auto found = view.own_sqnr_db.find(value.name); found != view.own_sqnr_db.end())
      entry.own_sqnr_db = found->second;
    if (const auto found = view.encodings.find(value.name); found != view.encodings.end())
      entry.encoding = found->second;
  }
  const auto badness = [&](const Entry& entry) {
    const double value = ranking == Ranking::OwnError ? -entry.own_sqnr_db
                         : ranking == Ranking::Spread ? entry.spread
                                                      : entry.clipped;
    return std::isnan(value) ? -std::numeric_limits<double>::infinity() : value;
  };
  std::stable_sort(entries.begin(), entries.end(),
                   [&](const Entry& a, const Entry& b) { return badness(a) > badness(b); });
  return entries;
}

/// Describes the order of the list.
const char* order_text(const std::vector<Entry>& entries, Ranking ranking) {
  if (ranking == Ranking::OwnError) return "largest error first";
  if (ranking == Ranking::Spread) return "largest difference of the calibrators first";
  const bool clips = !entries.empty() && entries.front().clipped > 0;
  return clips ? "most clipped first" : "in the order of the model";
}

std::string value_list(const std::vector<Entry>& entries, bool candidates, Ranking ranking) {
  Table table{{{"<abbr title=\"Position in the model\">#</abbr>", Kind::Number, "Position in the model"},
               {"Value", Kind::Name},
               candidates ? Table::Column{"Spread", Kind::Number, "Largest over smallest range of the calibrators"}
                          : Table::Column{"Range", Kind::Minor, "Range that the calibrator keeps"}}};
  if (ranking == Ranking::OwnError)
    table.columns.push_back({"SQNR", Kind::Number, "SQNR of the value after its pair, in dB"});
  if (ranking == Ranking::Clipped)
    table.columns.push_back({"Clips", Kind::Number, "Share of the elements outside the range, in percent"});
  for (const Entry& entry : entries) {
    Table::Row& row = table.rows.emplace_back();
    if (&entry == entries.data()) row.attributes = " class=\"chosen\"";
    row.cells = {count_cell(entry.position),
                 {"<a href=\"#value-" + std::to_string(entry.position) + "\">" +
                  node_name(entry.value->name, entry.value->op) + "</a>"}};
    if (candidates)
      row.cells.push_back({std::isnan(entry.spread) ? "\u2013" : fixed_text(entry.spread, 1) + "\u00D7", entry.spread});
    else if (const auto* range = entry.range)
      row.cells.push_back({range_text(range->min, range->max), std::max(std::abs(range->min), std::abs(range->max))});
    else
      row.cells.push_back({"\u2013"});
    if (ranking == Ranking::OwnError) row.cells.push_back(fixed_cell(entry.own_sqnr_db, 1));
    if (ranking == Ranking::Clipped)
      row.cells.push_back(
          {entry.clipped > 0 ? fmt::format("{:.2g}\u00A0%", 100 * entry.clipped) : "\u2013", entry.clipped});
  }
  return table_markup(table, "id=\"value-list\"");
}

/// Returns "1,234,567 elements from −0.28 to 6.02, 12.3 % of them zero (not drawn)." and what else is known.
std::string value_facts(const Entry& entry) {
  const ValueHistogram& value = *entry.value;
  std::string text = grouped_text(value.count) + (value.count == 1 ? " element from " : " elements from ") +
                     number_text(value.min) + " to " + number_text(value.max);
  if (value.zeros > 0 && value.count > 0) {
    const double share = static_cast<double>(value.zeros) / static_cast<double>(value.count);
    constexpr double kLeast = 0.0005;  // less would print as 0.0 %
    text += ", " + (share < kLeast ? "fewer than 0.1\u00A0%" : percent_text(share)) + " of them zero (not drawn)";
  }
  text += ".";
  if (!std::isnan(entry.own_sqnr_db))
    text += " Its SQNR after quantization is " + fixed_text(entry.own_sqnr_db, 1) + "\u00A0dB.";
  if (!entry.encoding.empty()) text += " " + escape(entry.encoding);
  return text;
}

std::string readers(const std::vector<const PlanReport::Edge*>& edges) {
  std::string html = "<h4>Read by</h4><ul class=\"readers\">";
  for (const PlanReport::Edge* edge : edges)
    html += "<li>" + (is_pair(edge->reads) ? tag(name_of(edge->codes), "int8") : tag("float")) + " <span>" +
            node_name(edge->consumer, edge->op) + "<br><span class=\"reason\">" + escape(edge->reason) +
            "</span></span></li>";
  return html + "</ul>";
}

std::string article(const Entry& entry, const Edges& edges, const document::Histograms& view, bool first) {
  const std::string id = "value-" + std::to_string(entry.position);
  std::string html = "<article class=\"value" + std::string(first ? " chosen" : "") + "\" id=\"" + id +
                     "\" aria-labelledby=\"" + id + "-name\"><h3 id=\"" + id + "-name\">" +
                     node_name(entry.value->name, entry.value->op) + "</h3><p>" + value_facts(entry) + "</p>" +
                     value_chart(*entry.value, view.best);
  if (const auto found = edges.find(entry.value->name); found != edges.end()) html += readers(found->second);
  return html + "</article>\n";
}

}  // namespace

std::string drawing_markup(const document::Histograms& view) {
  const Ranking ranking = ranking_of(view);
  const std::vector<Entry> entries = ranked_entries(view, ranking);
  Edges edges;
  for (const auto& edge : view.plan->edges) edges[edge.value].push_back(&edge);
  std::string html = "<p class=\"lead\">" + plural(view.values->size(), "value") + ", " + order_text(entries, ranking) +
                     ". Bars count elements on a logarithmic scale; the lines are the range that " +
                     (has_candidates(view) ? "each calibrator" : "the calibrator") +
                     " keeps.</p><div class=\"browser\"><div class=\"list\" data-search=\"value-list\" "
                     "data-label=\"Search values\">" +
                     value_list(entries, has_candidates(view), ranking) + "</div><div class=\"articles\">";
  for (size_t i = 0; i < entries.size(); ++i) html += article(entries[i], edges, view, i == 0);
  return html + "</div></div>";
}

}  // namespace detent::html
