#include <algorithm>
#include <array>

#include "core/text.h"
#include "report/html/metric.h"
#include "report/html/parts.h"
#include "report/html/sections.h"

namespace detent::html {
namespace {

constexpr std::array kActions{"removed", "moved", "added", "kept"};

size_t count_of(const RepairReport& report, const char* action) {
  return static_cast<size_t>(std::ranges::count(report.pairs, action, &RepairReport::Pair::action));
}

}  // namespace

std::string summary_section(const RepairReport& report) {
  std::string figures;
  for (const char* action : kActions)
    figures += figure(std::to_string(count_of(report, action)), std::string("pairs ") + action);
  const auto faults = [](const LintReport& lint) { return lint.count("error") + lint.count("warning"); };
  const size_t left = faults(report.lint);
  return header_markup({"Repair",
                        report.model,
                        {"for " + escape(report.target), samples_fact(report.samples, "measured")},
                        report.changed ? "<strong class=\"" + std::string(left == 0 ? "good" : "doubtful") + "\">" +
                                             plural(faults(report.before), "error or warning", "errors and warnings") +
                                             " before, " + std::to_string(left) + " now</strong>"
                                       : "<strong class=\"good\">Nothing to repair</strong>",
                        {},
                        figures});
}

std::string repaired_pairs_section(const RepairReport& report) {
  Table table{{{"Action", Kind::Tag}, {"Value", Kind::Name}}};
  for (const auto& pair : report.pairs) {
    const auto order = std::ranges::find(kActions, pair.action) - kActions.begin();
    table.rows.push_back(
        {{{tag(escape(pair.action), pair.action == "kept" ? "usual" : "doubtful"), static_cast<double>(order)},
          {node_name(pair.value, "") + why(pair.rule, pair.reason)}}});
  }
  return section("pairs", "Pairs",
                 std::to_string(report.weights_kept) + " weights keep their codes, " +
                     std::to_string(report.weights_anew.size()) + " got others.",
                 searchable(table, "pair-table", "Search pairs") + notes_list(report.weights_anew, "weights-anew"));
}

std::string repair_scores_section(const RepairReport& report) {
  Table table{{{"Score", Kind::Name}, {"Before"}, {"After"}, {"Change"}}};
  for (const Metric& metric : kMetrics) {
    const auto before = report.scores_before.find(metric.name), after = report.scores.find(metric.name);
    if (before == report.scores_before.end() || after == report.scores.end()) continue;
    const MetricStyle style = metric_style(metric.name);
    const double change = after->second - before->second;
    const std::string sign = change < 0 ? "\u2212" : "+";
    table.rows.push_back({{{"<td title=\"" + escape(style.meaning) + "\">" + escape(style.label) + "</td>"},
                           {escape(style.text(before->second)), before->second},
                           {escape(style.text(after->second)), after->second},
                           {sign + escape(style.difference(before->second, after->second)), change}}});
  }
  if (table.rows.empty()) return {};
  return section("scores", "Scores", "On " + plural(report.evaluation_samples, "evaluation sample") + ".",
                 scrolling(table, "repair-scores", "Scores"));
}

}  // namespace detent::html
