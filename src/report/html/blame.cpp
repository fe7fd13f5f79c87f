#include <algorithm>
#include <cmath>
#include <limits>

#include "report/html/axis.h"
#include "report/html/cells.h"
#include "report/html/figures.h"
#include "report/html/markup.h"
#include "report/html/numbers.h"
#include "report/html/sections.h"

namespace detent::html {
namespace {

using Blame = VerdictReport::Blame;

Axis gain_axis(const VerdictReport& verdict) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  const auto take = [&](double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  };
  take(verdict.blame_sqnr_db);
  for (const Blame& blame : verdict.blame) take(blame.sqnr_db_without);
  return padded_axis(low, high, 0.08);
}

/// From the outputs with all pairs to the outputs without this one.
std::string blame_row_chart(const VerdictReport& verdict, const Blame& blame, const Axis& axis) {
  std::string svg = "<svg class=\"dots\" height=\"100%\" aria-hidden=\"true\">";
  const auto vertical = [&](const char* kind, double value) {
    const std::string x = percentage(axis.at(value));
    svg += "<line class=\"" + std::string(kind) + "\" x1=\"" + x + "\" x2=\"" + x + "\" y1=\"0\" y2=\"100%\"/>";
  };
  for (const double tick : axis.ticks(2)) vertical("grid", tick);
  vertical("reference", verdict.blame_sqnr_db);
  const std::string from = percentage(axis.at(verdict.blame_sqnr_db)), to = percentage(axis.at(blame.sqnr_db_without));
  return svg + "<line class=\"gain\" x1=\"" + from + "\" x2=\"" + to +
         "\" y1=\"50%\" y2=\"50%\"/><circle class=\"alone\" cx=\"" + to + "\" cy=\"50%\" r=\"4.5\"/></svg>";
}

/// The value's histogram, where the page has one.
std::string linked_name(const std::string& value, const std::vector<ValueHistogram>& histograms) {
  const auto found = std::ranges::find(histograms, value, &ValueHistogram::name);
  if (found == histograms.end()) return name_markup(value);
  return "<a href=\"#value-" + std::to_string(found - histograms.begin() + 1) + "\">" + name_markup(value) + "</a>";
}

}  // namespace

std::string blame_section(const VerdictReport& verdict, const std::vector<ValueHistogram>& histograms) {
  if (verdict.blame.empty()) return {};
  const Axis axis = gain_axis(verdict);
  Table table{
      {{"Value", Kind::Name},
       {"<svg class=\"scale\" height=\"16\" aria-hidden=\"true\">" + tick_labels(axis, axis.ticks(2), 13) + "</svg>",
        Kind::Chart},
       {"Without", Kind::Minor, "SQNR at the outputs when this value alone has no pair, in dB"},
       {"Gain", Kind::Number, "Over the SQNR with all pairs, in dB"},
       {"Itself", Kind::Minor, "SQNR of the value behind its own pair, in dB"}}};
  for (const Blame& blame : verdict.blame) {
    const double gain = blame.sqnr_db_without - verdict.blame_sqnr_db;
    table.rows.push_back({{{linked_name(blame.value, histograms)},
                           {blame_row_chart(verdict, blame, axis)},
                           {fixed_text(blame.sqnr_db_without, 1), blame.sqnr_db_without},
                           {signed_text(gain, 2), gain},
                           {fixed_text(blame.sqnr_db, 1), blame.sqnr_db}}});
  }
  return "<section id=\"blame\"><h2>Values to blame</h2><p class=\"lead\">What the outputs gain when one value alone "
         "has no pair, measured on a few samples for the values that their own pair distorts most.</p><p class=\"key\" "
         "aria-hidden=\"true\"><span><svg width=\"12\" height=\"12\"><line class=\"reference\" x1=\"6\" x2=\"6\" "
         "y1=\"0\" y2=\"12\"/></svg>all pairs, " +
         decibels(verdict.blame_sqnr_db) +
         "</span><span><svg width=\"12\" height=\"12\"><circle class=\"alone\" cx=\"6\" cy=\"6\" "
         "r=\"4.5\"/></svg>without this one</span></p>" +
         table_markup(table, "id=\"blame-table\" class=\"wide dumbbells\"") + "</section>\n";
}

}  // namespace detent::html
