#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "core/text.h"
#include "report/output_errors.h"
#include "report/quantities.h"
#include "report/text/text.h"

namespace detent {

namespace {

constexpr size_t kShownPairs = 3;  // of pairs with the same action and rule

using Pairs = std::vector<const RepairReport::Pair*>;

std::string counts_of_actions(const RepairReport& report) {
  return join(std::array{"kept", "moved", "removed", "added"}, ", ", [&](const char* action) {
    return fmt::format("{} {}", std::ranges::count(report.pairs, action, &RepairReport::Pair::action), action);
  });
}

/// Prints the pairs of one action and rule, of many the first.
std::string actions_text(const Pairs& group, Listing& listing) {
  const size_t shown = listing.shown(group.size(), kShownPairs);
  std::string text;
  for (size_t i = 0; i < shown; ++i) {
    const RepairReport::Pair& pair = *group[i];
    text += fmt::format("  {:<8} {}{}\n    {}\n", pair.action, pair.value, pair.rule == "-" ? "" : "  " + pair.rule,
                        pair.reason);
  }
  if (shown < group.size()) text += fmt::format("  {:<8} {} more like this\n", group[0]->action, group.size() - shown);
  return text;
}

std::string pairs_text(const RepairReport& report, Listing& listing) {
  std::vector<RepairReport::Pair> changed;
  for (const auto& pair : report.pairs)
    if (pair.action != "kept") changed.push_back(pair);
  std::string text = "pairs: " + counts_of_actions(report) + "\n";
  const auto kind = [](const RepairReport::Pair& pair) { return pair.action + pair.rule; };
  for (const Pairs& group : grouped(changed, kind)) text += actions_text(group, listing);
  return text;
}

std::string carried_weights_text(const RepairReport& report) {
  std::string text = fmt::format("weights: {} keep their codes", report.weights_kept);
  if (!report.weights_anew.empty()) text += fmt::format(", {} got others", report.weights_anew.size());
  text += "\n";
  for (const std::string& weight : report.weights_anew) text += "  " + weight + "\n";
  return text;
}

std::string findings_left_text(const RepairReport& report) {
  const auto counts = [](const LintReport& lint) {
    return plural(lint.count("error"), "error") + " and " + plural(lint.count("warning"), "warning");
  };
  std::string text = "lint: " + counts(report.before) + " before, " + counts(report.lint) + " now\n";
  for (const auto& finding : report.lint.findings)
    if (finding.level != "note")
      text += fmt::format("  {}  {} at '{}': {}\n", finding.level, finding.id, finding.node, finding.message);
  return text;
}

/// Prints each score of the file before and of the written file; "" without a task.
std::string scores_text(const RepairReport& report) {
  if (report.scores.empty()) return {};
  std::string text = "scores on " + plural(report.evaluation_samples, "sample") + ", the file before -> after:\n";
  if (!report.labels.empty()) text += "  labels: " + report.labels + "\n";
  for (const Metric& metric : kMetrics) {
    const auto before = report.scores_before.find(metric.name), after = report.scores.find(metric.name);
    if (before == report.scores_before.end() || after == report.scores.end()) continue;
    text += fmt::format("  {:<12} {} -> {}\n", metric.title, metric_text(metric, before->second),
                        metric_text(metric, after->second));
  }
  return text;
}

}  // namespace

std::string to_text(const RepairReport& report, Lists lists) {
  Listing listing(lists);
  std::string text = model_line(report.model, report.lint.plan, report.target) + "\n";
  text += report.changed ? pairs_text(report, listing) + carried_weights_text(report)
                         : "every pair stands where " + report.target + " wants it: nothing to repair\n";
  if (report.measured > 0)
    text += "measured " + plural(report.measured, "value") + " without a scale on " + plural(report.samples, "sample") +
            "\n";
  text += findings_left_text(report);
  if (report.error && report.changed)
    text += "difference from the file before on " + plural(report.error->samples, "sample") + ": " +
            worst_error_text(*report.error) + "\n" + verdict_text(report.verdict, report.error->outputs.size());
  text += scores_text(report);
  return text + "wrote " + report.output + " (" + bytes_text(report.bytes_after) + ", before " +
         bytes_text(report.bytes_before) + ")\n" + listing.closing();
}

}  // namespace detent
