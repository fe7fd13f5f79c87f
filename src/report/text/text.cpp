#include "report/text/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/text.h"

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

std::string to_text(const DistributionReport& report) {
  const auto& value = report.value;
  std::string text = value.name + "\n" +
                     fmt::format("  {} elements, {} zeros, min {:.9g}, max {:.9g}, bins 2^{} wide\n", value.count,
                                 value.zeros, value.min, value.max, value.log2_width);
  if (value.nans + value.infinities > 0)
    text += fmt::format("  {} NaN and {} Inf left out\n", value.nans, value.infinities);
  if (report.rows.empty()) return text + "  only zeros\n";
  constexpr double kWidth = 40;
  uint64_t largest = 1;
  for (const auto& row : report.rows) largest = std::max(largest, row.count);
  text += "\n  zeros left out; bars are logarithmic\n";
  for (const auto& row : report.rows) {
    const double part = std::log1p(static_cast<double>(row.count)) / std::log1p(static_cast<double>(largest));
    const auto marks = static_cast<size_t>(std::lround(kWidth * part));
    text +=
        fmt::format("  {:>12.6g} .. {:>12.6g}  {:12}  ", row.low, row.high, row.count) + std::string(marks, '#') + "\n";
  }
  return text;
}

std::string to_text(const CacheExportReport& report) {
  return "wrote " + report.output + " (" + std::to_string(report.scales) + " scales)\n" +
         (report.arguments.empty() ? "" : "wrote " + report.arguments + " (trtexec's arguments)\n");
}

std::string to_text(const CacheImportReport& report) {
  std::string text = report.cache + "  " + report.version_line + "\n";
  text += "imported " + plural(report.imported, "scale") + "\n";
  const auto list = [&](const std::vector<std::string>& names, const std::string& what) {
    if (names.empty()) return;
    text += std::to_string(names.size()) + " " + what + "\n";
    for (const std::string& name : names) text += "  " + name + "\n";
  };
  list(report.unknown, "of the cache match no value of the model:");
  list(report.without_scale, "have scale 0 in the cache and were left out:");
  list(report.missing, "to be quantized for " + report.target + " have no scale in the cache:");
  if (report.missing.empty()) text += "every value to be quantized for " + report.target + " has a scale\n";
  return text + "wrote " + report.output + "\n";
}

}  // namespace detent
