#include "report/text/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "report/build/documents.h"
#include "report/text/document.h"

namespace detent {

namespace {

/// Counts the operators of the lines with one outcome, most frequent first: "Resize 2, Cast 1"; "" without any.
std::string operators_text(const std::string& title, const VerifyReport& report, VerifyReport::Line::Outcome outcome) {
  std::map<std::string, size_t> counts;
  for (const auto& line : report.lines) {
    if (line.outcome != outcome) continue;
    for (const std::string& name : line.operators) ++counts[name];
    if (line.operators.empty()) ++counts["(other)"];
  }
  if (counts.empty()) return {};
  std::vector<std::pair<std::string, size_t>> ranked(counts.begin(), counts.end());
  std::ranges::stable_sort(ranked, std::greater{}, [](const auto& pair) { return pair.second; });
  return title + join(ranked, ", ", [](const auto& pair) { return pair.first + " " + std::to_string(pair.second); }) +
         "\n";
}

}  // namespace

std::string to_text(const std::vector<FindingInfo>& kinds) {
  Table table{{{"", Kind::Name}, {"", Kind::Words}}};
  for (const FindingInfo& kind : kinds) table.rows.push_back({{{kind.id}, {kind.summary + " (" + kind.levels + ")"}}});
  return "Findings\n" + to_text(table);
}

std::string to_text(const QuantizeTargetsReport& report, Lists lists) {
  std::string text = join(report.targets, "\n", [&](const auto& one) { return to_text(one, lists); });
  return text + fmt::format("\n{} in {:.1f} s, peak {:.0f} MB\n", plural(report.targets.size(), "target"),
                            report.seconds, report.peak_mb);
}

std::string to_text(const VerifyReport::Line& line) {
  using Outcome = VerifyReport::Line::Outcome;
  const char* outcome = line.outcome == Outcome::Passed   ? "passed     "
                        : line.outcome == Outcome::Failed ? "FAILED     "
                                                          : "unsupported";
  std::string text = std::string(outcome) + "  " + line.folder + "/" + line.model;
  // Integers that differ, and outputs that could not be compared, have no such error.
  if (line.worst_relative_error > 0)
    text += fmt::format("  worst error {:.1e} of the largest value", line.worst_relative_error);
  else if (line.outcome == Outcome::Passed)
    text += "  exact";
  if (!line.detail.empty()) text += "  " + line.detail;
  return text + "\n";
}

std::string summary_text(const VerifyReport& report) {
  using Outcome = VerifyReport::Line::Outcome;
  std::string text = operators_text("failed by operator:      ", report, Outcome::Failed) +
                     operators_text("unsupported by operator: ", report, Outcome::Unsupported);
  return text + std::to_string(report.passed) + " passed, " + std::to_string(report.failed) + " failed, " +
         std::to_string(report.unsupported) + " unsupported\n";
}

std::string to_text(const RunReport& report) {
  std::string text = "ran " + plural(report.samples, "sample") + fmt::format(" in {:.2f} s", report.seconds);
  if (report.seconds > 0) text += fmt::format(" ({:.1f}/s)", static_cast<double>(report.samples) / report.seconds);
  text += "\n" + skipped_text(report.skipped_samples);
  if (!report.expanded.empty()) text += "expanded " + expanded_text(report.expanded) + "\n";
  for (const auto& path : report.written) text += "wrote " + path.string() + "\n";
  if (report.profile) text += "\n" + to_text(*report.profile);
  return text;
}

}  // namespace detent
