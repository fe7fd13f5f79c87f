#include <algorithm>
#include <array>

#include "core/text.h"
#include "report/html/parts.h"
#include "report/html/sections.h"
#include "report/lists.h"

namespace detent::html {
namespace {

using Finding = LintReport::Finding;

constexpr std::array kLevels{"error", "warning", "note"};  // worst first

Table::Cell level_cell(const Finding& finding) {
  return {tag(escape(finding.level), level_colour(finding.level)),
          static_cast<double>(std::ranges::find(kLevels, finding.level) - kLevels.begin())};
}

size_t count_of(const LintReport& report, const char* level) {
  return static_cast<size_t>(std::ranges::count(report.findings, level, &Finding::level));
}

/// Prints one row per kind: how often it occurs, and how to fix its first finding.
std::string kinds_table(const LintReport& report) {
  Table table{{{"Level", Kind::Tag}, {"Kind", Kind::Name}, {"Findings", Kind::Number, "Number of findings"}}};
  for (const auto& kind : grouped(report.findings, kind_key)) {
    const Finding& first = *kind.front();
    table.rows.push_back({{level_cell(first),
                           {"<code>" + escape(first.id) + "</code>" + why("", first.cure)},
                           count_cell(kind.size())}});
  }
  return table_markup(table, "id=\"finding-kinds\" class=\"wide\"");
}

std::string findings_table(const LintReport& report) {
  Table table{
      {{"Level", Kind::Tag}, {"Node", Kind::Name}, {"MACs", Kind::Number, "Affected share of the model's MACs"}}};
  for (const Finding& finding : report.findings)
    table.rows.push_back({{level_cell(finding),
                           {node_name(finding.node, finding.id) + why("", finding.message)},
                           {finding.mac_share > 0 ? percent_text(finding.mac_share) : "\u2013", finding.mac_share}}});
  return folded("findings", "Every finding: " + std::to_string(report.findings.size()),
                searchable(table, "finding-table", "Search findings"));
}

std::string findings_verdict(const LintReport& report) {
  if (report.origin == "float")
    return report.findings.empty() ? "A float model: it has no pairs, so there is nothing to check."
                                   : "A float model: it has no pairs; its float types are checked.";
  const std::string target = " for " + escape(report.plan.target) + ".";
  if (report.findings.empty()) return "<strong class=\"good\">No finding</strong>" + target;
  const auto worst = std::ranges::find_if(kLevels, [&](const char* level) { return count_of(report, level) > 0; });
  const char* colour = worst == kLevels.end() || *worst == kLevels.back() ? "good" : level_colour(*worst);
  return "<strong class=\"" + std::string(colour) + "\">" +
         join(kLevels, ", ", [&](const char* level) { return plural(count_of(report, level), level); }) + "</strong>" +
         target;
}

std::vector<std::string> lint_advice(const LintReport& report) {
  std::vector<std::string> items;
  if (!report.built_for.empty())
    items.push_back("Built for " + escape(report.built_for) + ": " +
                    (report.following == report.findings.size() ? "all" : std::to_string(report.following) + " of") +
                    " " + plural(report.findings.size(), "finding") + " follow from that.");
  for (const std::string& note : report.plan.notes) items.push_back(escape(note));
  return items;
}

}  // namespace

std::string summary_section(const LintReport& report) {
  const PlanReport& plan = report.plan;
  const std::string pairs =
      plan.coverage.pairs > 0 ? figure(std::to_string(plan.coverage.pairs), "values with pairs") : std::string();
  return header_markup(
      {"What runs in INT8",
       plan.model,
       {"target " + escape(plan.target), "opset " + std::to_string(plan.opset) + ", " + plural(plan.nodes, "node"),
        escape(report.codes)},
       findings_verdict(report),
       lint_advice(report),
       coverage_figure(plan.coverage) + pairs});
}

std::string findings_section(const LintReport& report) {
  if (report.findings.empty()) return {};
  return section("findings", "Findings",
                 "Worst first. The engine refuses an error or computes something else; a warning costs a fusion or an "
                 "INT8 layer. Each kind shows how to fix its first finding.",
                 kinds_table(report) + findings_table(report));
}

}  // namespace detent::html
