#include <algorithm>

#include "report/html/axis.h"
#include "report/html/parts.h"
#include "report/html/sections.h"

namespace detent::html {
namespace {

using Blame = VerdictReport::Blame;

/// Draws the gain from the outputs with all pairs to the outputs without this one.
std::string blame_row_chart(const VerdictReport& verdict, const Blame& blame, const Axis& axis) {
  std::string svg = "<svg class=\"dots\" height=\"100%\" aria-hidden=\"true\">";
  for (const double tick : axis.ticks(2)) svg += vertical_line("grid", axis, tick);
  return svg + vertical_line("reference", axis, verdict.blame_sqnr_db) +
         gain_line(axis, verdict.blame_sqnr_db, blame.sqnr_db_without) +
         dot_mark("alone", axis, blame.sqnr_db_without, "4.5") + "</svg>";
}

/// Links the name to the value's histogram, if the page has one.
std::string linked_name(const std::string& value, const std::vector<ValueHistogram>& histograms) {
  const auto found = std::ranges::find(histograms, value, &ValueHistogram::name);
  if (found == histograms.end()) return name_markup(value);
  return "<a href=\"#value-" + std::to_string(found - histograms.begin() + 1) + "\">" + name_markup(value) + "</a>";
}

}  // namespace

std::string blame_section(const VerdictReport& verdict, const std::vector<ValueHistogram>& histograms) {
  if (verdict.blame.empty()) return {};
  std::vector<double> reached{verdict.blame_sqnr_db};
  for (const Blame& blame : verdict.blame) reached.push_back(blame.sqnr_db_without);
  const Axis axis = axis_around(reached, 0.08);
  Table table{{{"Value", Kind::Name},
               {scale_head(axis, axis.ticks(2)), Kind::Chart},
               {"Without", Kind::Minor, "SQNR at the outputs when this value alone has no pair, in dB"},
               {"Gain", Kind::Number, "Over the SQNR with all pairs, in dB"},
               {"Itself", Kind::Minor, "SQNR of the value after its pair, in dB"}}};
  for (const Blame& blame : verdict.blame)
    table.rows.push_back({{{linked_name(blame.value, histograms)},
                           {blame_row_chart(verdict, blame, axis)},
                           fixed_cell(blame.sqnr_db_without, 1),
                           signed_cell(blame.sqnr_db_without - verdict.blame_sqnr_db, 2),
                           fixed_cell(blame.sqnr_db, 1)}});
  return section("blame", "Values to blame",
                 "Gain at the outputs when one value alone has no pair, measured on a few samples for the values with "
                 "the largest error.",
                 chart_key(key_entry(kReferenceShape, "all pairs, " + decibels(verdict.blame_sqnr_db)) +
                           key_entry(kAloneShape, "without this one")) +
                     table_markup(table, "id=\"blame-table\" class=\"wide dumbbells\""));
}

}  // namespace detent::html
