#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <vector>

#include "report/text/text.h"

namespace detent {

namespace {

using NodeTime = ProfileReport::Line;

/// Nodes are listed up to this share of the time; the others are summed.
constexpr double kListedShare = 0.95;

struct Sum {
  std::string op;
  size_t nodes = 0;
  double ms = 0;
};

std::vector<Sum> sums_by_operator(const std::vector<NodeTime>& nodes) {
  std::map<std::string, Sum> sums;
  for (const NodeTime& line : nodes) {
    Sum& sum = sums[line.op];
    sum.op = line.op;
    ++sum.nodes;
    sum.ms += line.ms;
  }
  std::vector<Sum> sorted;
  for (auto& [op, sum] : sums) sorted.push_back(std::move(sum));
  std::ranges::stable_sort(sorted, std::greater{}, &Sum::ms);
  return sorted;
}

double time_percent(double ms, double total) { return total > 0 ? 100 * ms / total : 0; }

Table table_of_times(const std::vector<Table::Column>& of) {
  Table table{.columns = {{"ms", Kind::Number, "", 9}, {"share", Kind::Number, "", 7}}, .margin = ""};
  table.columns.insert(table.columns.end(), of.begin(), of.end());
  return table;
}

void add_time(Table& table, const ProfileReport& report, double ms, const std::vector<Table::Cell>& of) {
  auto& cells = table.rows.emplace_back().cells;
  cells = {{fmt::format("{:.3f}", ms)}, {fmt::format("{:.1f} %", time_percent(ms, report.total_ms))}};
  cells.insert(cells.end(), of.begin(), of.end());
}

std::string operators_table(const ProfileReport& report) {
  Table table = table_of_times({{"nodes"}, {"operator", Kind::Words}});
  for (const Sum& sum : sums_by_operator(report.nodes))
    add_time(table, report, sum.ms, {{std::to_string(sum.nodes)}, {sum.op}});
  return to_text(table);
}

std::string nodes_table(const ProfileReport& report) {
  std::vector<NodeTime> sorted = report.nodes;
  std::ranges::stable_sort(sorted, std::greater{}, &NodeTime::ms);
  Table table = table_of_times({{"node", Kind::Words}});
  double listed = 0;
  size_t i = 0;
  for (; i < sorted.size() && listed < kListedShare * report.total_ms; ++i) {
    add_time(table, report, sorted[i].ms, {{sorted[i].node + " (" + sorted[i].op + ")"}});
    listed += sorted[i].ms;
  }
  if (i < sorted.size()) add_time(table, report, report.total_ms - listed, {{plural(sorted.size() - i, "other node")}});
  return "\n" + to_text(table);
}

}  // namespace

std::string to_text(const ProfileReport& report) {
  std::string text = fmt::format("a sample takes {:.3f} ms on one worker (mean of ", report.total_ms) +
                     plural(report.samples, "run") + ")\n" + operators_table(report) + nodes_table(report);
  if (!report.collecting) return text;
  const auto& collecting = *report.collecting;
  return text +
         fmt::format("\ncalibrating for {}: {:.3f} ms a sample, of which the collector {:.3f} ms ({:.1f} %) for ",
                     collecting.target, collecting.total_ms, collecting.collector_ms,
                     time_percent(collecting.collector_ms, collecting.total_ms)) +
         plural(collecting.values, "value") + "\n";
}

}  // namespace detent
