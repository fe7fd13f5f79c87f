#include <algorithm>
#include <array>

#include "report/html/cells.h"
#include "report/html/figures.h"
#include "report/html/markup.h"
#include "report/html/numbers.h"
#include "report/html/sections.h"
#include "report/quantities.h"

namespace detent::html {
namespace {

using Finding = LintReport::Finding;

/// Worst first, with the class that colours it.
struct Level {
  const char* name;
  const char* colour;
};
constexpr std::array<Level, 3> kLevels = {{{"error", "broken"}, {"warning", "doubtful"}, {"note", "usual"}}};

size_t finding_rank(const Finding& finding) {
  const auto found = std::ranges::find(kLevels, finding.level, &Level::name);
  return static_cast<size_t>(found - kLevels.begin());
}

Table::Cell level_cell(const Finding& finding) {
  const size_t level = finding_rank(finding);
  const std::string colour = level < kLevels.size() ? kLevels[level].colour : "usual";
  return {"<span class=\"tag " + colour + "\">" + escape(finding.level) + "</span>", static_cast<double>(level)};
}

size_t count_of(const LintReport& report, const char* level) {
  return static_cast<size_t>(std::ranges::count(report.findings, level, &Finding::level));
}

/// One row a kind: how often, and the cure of its first.
std::string kinds_table(const LintReport& report) {
  std::vector<std::pair<const Finding*, size_t>> kinds;
  for (const Finding& finding : report.findings) {
    const auto same = std::ranges::find_if(
        kinds, [&](const auto& kind) { return kind.first->id == finding.id && kind.first->level == finding.level; });
    if (same == kinds.end())
      kinds.emplace_back(&finding, 1);
    else
      ++same->second;
  }
  Table table{
      {{"Level", Kind::Tag}, {"Kind", Kind::Name}, {"Findings", Kind::Number, "How many there are of the kind"}}};
  for (const auto& [first, count] : kinds)
    table.rows.push_back(
        {{level_cell(*first),
          {"<code>" + escape(first->id) + "</code><p class=\"reason\">" + escape(first->cure) + "</p>"},
          {std::to_string(count), static_cast<double>(count)}}});
  return table_markup(table, "id=\"finding-kinds\" class=\"wide\"");
}

std::string findings_table(const LintReport& report) {
  Table table{{{"Level", Kind::Tag},
               {"Node", Kind::Name},
               {"MACs", Kind::Number, "Share of the model's MACs that it concerns"}}};
  for (const Finding& finding : report.findings)
    table.rows.push_back({{level_cell(finding),
                           {name_markup(finding.node) + " <small>" + escape(finding.id) +
                            "</small><p class=\"reason\">" + escape(finding.message) + "</p>"},
                           {finding.mac_share > 0 ? percent_text(finding.mac_share) : "\u2013", finding.mac_share}}});
  return "<details id=\"findings-details\"><summary>Every finding: " + std::to_string(report.findings.size()) +
         "</summary><div data-search=\"finding-table\" data-label=\"Search findings\">" +
         table_markup(table, "id=\"finding-table\" class=\"wide\"") + "</div></details>";
}

std::string findings_verdict(const LintReport& report) {
  if (report.origin == "float")
    return report.findings.empty() ? "A float model: it holds no pairs, so there is nothing to judge."
                                   : "A float model: it holds no pairs; its float types are judged.";
  const std::string target = escape(report.plan.target);
  if (report.findings.empty()) return "<strong class=\"good\">No finding</strong> for " + target + ".";
  const size_t errors = count_of(report, "error"), warnings = count_of(report, "warning");
  const std::string counts =
      plural(errors, "error") + ", " + plural(warnings, "warning") + ", " + plural(count_of(report, "note"), "note");
  const char* colour = errors ? "broken" : warnings ? "doubtful" : "good";
  return "<strong class=\"" + std::string(colour) + "\">" + counts + "</strong> for " + target + ".";
}

std::string lint_advice(const LintReport& report) {
  std::string items;
  if (!report.built_for.empty())
    items += "<li>Built for " + escape(report.built_for) + ": " +
             (report.following == report.findings.size() ? "all" : std::to_string(report.following) + " of") + " " +
             plural(report.findings.size(), "finding") + " follow from that.</li>";
  for (const std::string& note : report.plan.notes) items += "<li>" + escape(note) + "</li>";
  return items.empty() ? items : "<ul class=\"notes advice\">" + items + "</ul>";
}

}  // namespace

std::string summary_section(const LintReport& report) {
  const PlanReport& plan = report.plan;
  std::string figures = coverage_figure(plan.coverage);
  if (plan.coverage.pairs > 0) figures += figure(std::to_string(plan.coverage.pairs), "values with pairs");
  return "<header id=\"summary\"><p class=\"eyebrow\">What runs in INT8</p><h1>" + escaped_file_name(plan.model) +
         "</h1><ul class=\"facts\"><li>target " + escape(plan.target) + "</li><li>opset " + std::to_string(plan.opset) +
         ", " + plural(plan.nodes, "node") + "</li>" +
         (report.codes.empty() ? "" : "<li>" + escape(report.codes) + "</li>") + "</ul><p class=\"verdict\">" +
         findings_verdict(report) + "</p>" + lint_advice(report) +
         (figures.empty() ? figures : "<dl class=\"figures\">" + figures + "</dl>") + "</header>\n";
}

std::string findings_section(const LintReport& report) {
  if (report.findings.empty()) return {};
  return "<section id=\"findings\"><h2>Findings</h2><p class=\"lead\">Worst first. An error is refused by the engine "
         "or computes something else; a warning loses a fusion or an INT8 layer. Each kind with the cure of its "
         "first.</p>" +
         kinds_table(report) + findings_table(report) + "</section>\n";
}

}  // namespace detent::html
