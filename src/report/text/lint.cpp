#include <algorithm>
#include <array>
#include <set>

#include "core/text.h"
#include "report/text/text.h"

namespace detent {

namespace {

constexpr size_t kExamples = 3;  // of a kind whose findings differ

using Findings = std::vector<const LintReport::Finding*>;

/// Returns "built for onnxruntime: UINT8 with zero points, INT32 biases; 118 findings for tensorrt follow from that".
std::string origin_text(const LintReport& report) {
  if (report.origin == "qoperator") return "integer operators (QOperator)";
  if (report.origin == "float")
    return report.findings.empty() ? "float: it has no pairs to check; `detent plan` shows where they would go"
                                   : "float: it has no pairs, so only its float types are checked";
  if (report.built_for.empty()) return report.codes.empty() ? "Q/DQ" : "Q/DQ, " + report.codes;
  const std::string target = report.plan.target.substr(0, report.plan.target.find(':'));
  return "built for " + report.built_for + ": " + report.codes + "; " +
         (report.following == report.findings.size() ? "" : std::to_string(report.following) + " of ") +
         plural(report.findings.size(), "finding") + " for " + target +
         (report.following == 1 ? " follows" : " follow") + " from that";
}

std::string finding_share_text(double share) { return share > 0 ? "  (" + percent_text(share) + " of MACs)" : ""; }

std::string finding_text(const LintReport::Finding& finding, const std::string& cure) {
  return "  " + finding.node + finding_share_text(finding.mac_share) + "\n    " + finding.message + "\n" +
         (finding.cure == cure ? "" : "    cure: " + finding.cure + "\n");
}

/// Returns ": a, b and 4 more"; " at a, b" where a node has several of the findings.
std::string nodes_text(std::vector<std::string> names, Listing& listing) {
  std::set<std::string> seen;
  const auto repeated = std::erase_if(names, [&seen](const std::string& name) { return !seen.insert(name).second; });
  return (repeated ? " at " : ": ") + listing.names(names);
}

/// Returns the number and nodes of the findings like the first of `names`; "" for none.
std::string others_like(std::vector<std::string> names, Listing& listing) {
  const std::string first = names.front();
  names.erase(names.begin());
  if (names.empty()) return {};
  const bool there = std::ranges::all_of(names, [&first](const std::string& name) { return name == first; });
  return "  " + std::to_string(names.size()) + " like this" + (there ? " there" : nodes_text(names, listing)) + "\n";
}

/// Prints one finding of each message, and the number of similar ones.
std::string group_text(const Findings& group, Listing& listing) {
  std::string text = "\n" + group.front()->level + "  " + group.front()->id;
  if (group.size() > 1) text += ", " + std::to_string(group.size()) + " times";
  text += "\n";
  std::vector<std::string> patterns, others;
  for (const auto* finding : group) patterns.push_back(pattern_of(finding->message));
  const auto alike = listing.groups(patterns);
  const size_t shown = listing.shown(alike.size(), kExamples);
  std::string cure;  // printed once where it is the same
  for (size_t i = 0; i < alike.size(); ++i) {
    std::vector<std::string> names;
    for (const size_t index : alike[i]) names.push_back(group[index]->node);
    if (i >= shown) {
      others.insert(others.end(), names.begin(), names.end());
      continue;
    }
    text += finding_text(*group[alike[i].front()], cure);
    cure = group[alike[i].front()]->cure;
    text += others_like(std::move(names), listing);
  }
  if (!others.empty()) text += "  " + std::to_string(others.size()) + " more" + nodes_text(others, listing) + "\n";
  return text;
}

std::string float_layers_text(const LintReport& report, Listing& listing) {
  std::vector<const PlanReport::Layer*> layers;
  for (const auto& layer : report.plan.layers)
    if (!layer.int8) layers.push_back(&layer);
  std::string text;
  for (const std::string& line : layer_lines(layers, listing, report.plan.coverage.macs)) text += "  " + line + "\n";
  return text.empty() ? "" : "\nfloat layers\n" + text;
}

/// Returns true where the text names a rule.
bool names_rule(const LintReport& report) {
  const auto by_rule = [](const PlanReport::Layer& layer) { return !layer.int8 && layer.rule != "-"; };
  const auto in_message = [](const auto& finding) { return finding.message.find(" by rule ") != std::string::npos; };
  return std::ranges::any_of(report.plan.layers, by_rule) || std::ranges::any_of(report.findings, in_message);
}

std::string counts_text(const LintReport& report) {
  const auto counted = [&](const char* level) {
    const auto count = std::ranges::count(report.findings, level, &LintReport::Finding::level);
    return plural(static_cast<size_t>(count), level);
  };
  return "\n" + join(std::array{"error", "warning", "note"}, ", ", counted) + "\n";
}

}  // namespace

std::string to_text(const LintReport& report, Lists lists) {
  Listing listing(lists);
  const PlanReport& plan = report.plan;
  std::string text = model_line(plan.model, plan, plan.target) + "\n" + origin_text(report) + "\n";
  const bool pairs = report.origin != "float";
  if (!pairs && report.findings.empty()) return text;
  if (pairs)
    text += coverage_text(plan.coverage) + "; " + plural(static_cast<size_t>(plan.coverage.pairs), "value") +
            " with pairs\n" + outlook_text(plan, listing) + float_layers_text(report, listing);
  for (const Findings& group : grouped(report.findings, kind_key)) text += group_text(group, listing);
  for (const auto& note : plan.notes) text += "\n" + note + "\n";
  return text + counts_text(report) + (names_rule(report) ? rules_text() : "") + listing.closing();
}

std::string to_text(const std::vector<FindingInfo>& kinds) {
  Table table{{{"", Kind::Name}, {"", Kind::Words}}};
  for (const FindingInfo& kind : kinds) table.rows.push_back({{{kind.id}, {kind.summary + " (" + kind.levels + ")"}}});
  return "Findings\n" + to_text(table);
}

}  // namespace detent
