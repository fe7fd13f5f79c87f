#include <algorithm>
#include <array>

#include "core/text.h"
#include "report/html/document.h"
#include "report/html/parts.h"
#include "report/lists.h"

namespace detent::html {
namespace {

using Finding = LintReport::Finding;

constexpr std::array kLevels{"error", "warning", "note"};  // worst first

Table::Cell level_cell(const Finding& finding) {
  return {tag(escape(finding.level), level_colour(finding.level)),
          static_cast<double>(std::ranges::find(kLevels, finding.level) - kLevels.begin())};
}

/// Prints one row per kind: how often it occurs, and how to fix its first finding.
std::string kinds_table(const std::vector<Finding>& findings) {
  Table table{{{"Level", Kind::Tag}, {"Kind", Kind::Name}, {"Findings", Kind::Number, "Number of findings"}}};
  for (const auto& kind : grouped(findings, kind_key)) {
    const Finding& first = *kind.front();
    table.rows.push_back({{level_cell(first),
                           {"<code>" + escape(first.id) + "</code>" + why("", first.cure)},
                           count_cell(kind.size())}});
  }
  return table_markup(table, "id=\"finding-kinds\" class=\"wide\"");
}

std::string findings_table(const std::vector<Finding>& findings) {
  Table table{
      {{"Level", Kind::Tag}, {"Node", Kind::Name}, {"MACs", Kind::Number, "Affected share of the model's MACs"}}};
  for (const Finding& finding : findings)
    table.rows.push_back({{level_cell(finding),
                           {node_name(finding.node, finding.id) + why("", finding.message)},
                           {finding.mac_share > 0 ? percent_text(finding.mac_share) : "\u2013", finding.mac_share}}});
  return folded("findings", "Every finding: " + std::to_string(findings.size()),
                searchable(table, "finding-table", "Search findings"));
}

}  // namespace

std::string findings_markup(const std::vector<Finding>& findings) {
  return findings.empty() ? std::string() : kinds_table(findings) + findings_table(findings);
}

}  // namespace detent::html
