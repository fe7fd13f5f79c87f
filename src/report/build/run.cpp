#include <algorithm>
#include <map>

#include "report/build/documents.h"
#include "report/build/sections.h"

namespace detent::build {

namespace {

using namespace document;
using Role = Line::Role;
using NodeTime = ProfileReport::Line;

constexpr double kListedShare = 0.95;  // of the time; other nodes are summed

Words part_of(double ms, double total) { return share(total > 0 ? ms / total : 0); }

/// Makes a table of times by what takes them.
document::Grid times_table(const Table::Column& what) {
  return {.columns = {{"ms"}, {"share"}, {"nodes"}, what}, .heading = {"time by ", what.head}};
}

void add_time(document::Grid& table, double ms, double total, size_t nodes, Words what) {
  table.rows.push_back({{fixed(ms, 3), part_of(ms, total), count(nodes), std::move(what)}});
}

document::Grid operators_table(const ProfileReport& report) {
  struct Sum {
    double ms = 0;
    size_t nodes = 0;
  };
  std::map<std::string, Sum> sums;
  for (const NodeTime& node : report.nodes) sums[node.op].ms += node.ms, ++sums[node.op].nodes;
  std::vector<std::pair<std::string, Sum>> sorted(sums.begin(), sums.end());
  std::ranges::stable_sort(sorted, std::ranges::greater{}, [](const auto& one) { return one.second.ms; });
  document::Grid table = times_table({"operator", Kind::Words});
  for (const auto& [op, sum] : sorted) add_time(table, sum.ms, report.total_ms, sum.nodes, op);
  return table;
}

document::Grid nodes_table(const ProfileReport& report) {
  std::vector<NodeTime> sorted = report.nodes;
  std::ranges::stable_sort(sorted, std::ranges::greater{}, &NodeTime::ms);
  document::Grid table = times_table({"node", Kind::Words});
  double listed = 0;
  size_t i = 0;
  for (; i < sorted.size() && listed < kListedShare * report.total_ms; ++i) {
    add_time(table, sorted[i].ms, report.total_ms, 1, {name(sorted[i].node), " (", sorted[i].op, ")"});
    listed += sorted[i].ms;
  }
  if (i < sorted.size()) add_time(table, report.total_ms - listed, report.total_ms, sorted.size() - i, "others");
  return table;
}

Section profile(const std::optional<ProfileReport>& report) {
  Section section{Topic::Latency, {}};
  if (!report) return section;
  section.parts = {Line{{"a sample takes ", fixed(report->total_ms, 3), " ms on one worker (mean of ",
                         count(report->samples, "run"), ")"}},
                   operators_table(*report), nodes_table(*report)};
  if (const auto& collecting = report->collecting)
    section.parts.push_back(
        Line{{"calibrating for ", collecting->target, ": ", fixed(collecting->total_ms, 3),
              " ms a sample, of which the collector ", fixed(collecting->collector_ms, 3), " ms (",
              part_of(collecting->collector_ms, collecting->total_ms), ") for ", count(collecting->values, "value")},
             Role::Apart});
  return section;
}

}  // namespace

Words expanded_words(const std::map<std::string, int64_t>& operators) {
  std::vector<Words> parts;
  for (const auto& [op, nodes] : operators) parts.push_back({count(nodes), " ", op});
  return joined(parts);
}

Document document_of(const RunReport& report) {
  Document document{.subject = "Run", .title = "run", .file = report.model, .sections = {profile(report.profile)}};
  Words words{"ran ", count(report.samples, "sample"), " in ", seconds(report.seconds, 2)};
  if (report.seconds > 0) words += {" (", fixed(static_cast<double>(report.samples) / report.seconds, 1), "/s)"};
  document.verdict.push_back(Line{words});
  document.verdict.push_back(Line{skipped_words(report.skipped_samples)});
  document.verdict.push_back(Line{labelled("expanded ", expanded_words(report.expanded))});
  for (const auto& path : report.written) document.verdict.push_back(Line{{"wrote ", name(path.string())}});
  return document;
}

}  // namespace detent::build
