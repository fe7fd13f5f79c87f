#include <algorithm>
#include <filesystem>

#include "report/quantities.h"
#include "report/text/columns.h"
#include "report/text/text.h"

namespace detent {

namespace {

constexpr size_t kShown = 3;  // of each kind of finding, in full

using Findings = std::vector<const LintReport::Finding*>;

std::string origin_text(const std::string& origin) {
  if (origin == "qdq") return "Q/DQ";
  if (origin == "qoperator") return "integer operators (QOperator)";
  return "float: it holds no pairs, so there is nothing to judge; `detent plan` shows where they would go";
}

std::string share_text(double share) { return share > 0 ? "  (" + percent_text(share) + " of MACs)" : ""; }

/// Findings of one kind stay together; kinds come in the order of their worst.
std::vector<Findings> grouped(const LintReport& report) {
  std::vector<Findings> groups;
  for (const auto& finding : report.findings) {
    const auto same = std::ranges::find_if(groups, [&](const Findings& group) {
      return group.front()->id == finding.id && group.front()->level == finding.level;
    });
    if (same == groups.end())
      groups.push_back({&finding});
    else
      same->push_back(&finding);
  }
  return groups;
}

std::string group_text(const Findings& group) {
  std::string text = "\n" + group.front()->level + "  " + group.front()->id;
  if (group.size() > 1) text += ", " + std::to_string(group.size()) + " times";
  text += "\n";
  for (size_t i = 0; i < std::min(kShown, group.size()); ++i) {
    const auto& finding = *group[i];
    text += "  " + finding.node + share_text(finding.mac_share) + "\n    " + finding.message + "\n";
    if (i == 0) text += "    cure: " + finding.cure + "\n";
  }
  if (group.size() <= kShown) return text;
  text += "  and";
  for (size_t i = kShown; i < group.size(); ++i) text += (i > kShown ? ", " : " ") + group[i]->node;
  return text + "\n";
}

std::string float_layers_text(const LintReport& report) {
  std::string text;
  const auto all = static_cast<double>(report.plan.coverage.macs);
  for (const auto& layer : report.plan.layers) {
    if (layer.int8) continue;
    text += "  " + layer.name + " (" + layer.op + ")" +
            share_text(all > 0 ? static_cast<double>(layer.macs) / all : 0) + "  " +
            (layer.rule == "-" ? "" : layer.rule + ": ") + layer.reason + "\n";
  }
  return text.empty() ? "" : "\nfloat layers\n" + text;
}

std::string counts_text(const LintReport& report) {
  std::string text;
  for (const char* level : {"error", "warning", "note"}) {
    const auto count = std::ranges::count(report.findings, level, &LintReport::Finding::level);
    text += (text.empty() ? "" : ", ") + plural(static_cast<size_t>(count), level);
  }
  return "\n" + text + "\n";
}

}  // namespace

std::string to_text(const LintReport& report) {
  const PlanReport& plan = report.plan;
  std::string text = std::filesystem::path(plan.model).filename().string() + "  opset " + std::to_string(plan.opset) +
                     ", " + plural(plan.nodes, "node") + "     target " + plan.target + "\n" +
                     origin_text(report.origin) + "\n";
  if (report.origin == "float") return text;
  text += coverage_text(plan.coverage) + "; " + plural(static_cast<size_t>(plan.coverage.pairs), "value") +
          " with pairs\n" + float_layers_text(report);
  for (const Findings& group : grouped(report)) text += group_text(group);
  for (const auto& note : plan.notes) text += "\n" + note + "\n";
  return text + counts_text(report);
}

std::string to_text(const std::vector<FindingInfo>& kinds) {
  std::string text = "Findings\n";
  size_t width = 0;
  for (const FindingInfo& kind : kinds) width = std::max(width, kind.id.size());
  for (const FindingInfo& kind : kinds)
    text += "  " + padded(kind.id, width + 2) + kind.summary + " (" + kind.levels + ")\n";
  return text;
}

}  // namespace detent
