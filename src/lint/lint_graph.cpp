#include "lint/lint_graph.h"

#include <algorithm>
#include <tuple>

#include "lint/finding_list.h"
#include "model/qoperators.h"

namespace detent {
namespace {

double share_of(const std::vector<NodeId>& layers, const PlacementPlan& plan) {
  if (plan.coverage.macs == 0) return 0;
  int64_t macs = 0;
  for (const NodeId layer : std::set<NodeId>(layers.begin(), layers.end()))
    if (const LayerDecision* decision = plan.find_layer(layer)) macs += decision->macs;
  return static_cast<double>(macs) / static_cast<double>(plan.coverage.macs);
}

}  // namespace

LintedGraph lint_graph(const Graph& graph, const QdqReading& reading, const Target& target, const ValueShapes& shapes,
                       const LintedFile& file) {
  const LintView view(graph, reading, target, shapes, file);
  FindingLog log;
  const bool quantized = !reading.nodes.empty() || is_quantized(graph);
  for (const FindingKind& kind : finding_list()) {
    const auto level = kind.level(target);
    if (!level || log.is_closed() || (!quantized && kind.scope != FindingScope::Types)) continue;
    log.begin(kind.id, *level);
    kind.check(view, log);
  }
  LintedGraph linted;
  linted.plan = view.found_plan();
  for (Finding& finding : log.findings()) {
    const double share = share_of(finding.layers, linted.plan);
    linted.findings.push_back({std::move(finding), share});
  }
  std::stable_sort(linted.findings.begin(), linted.findings.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.finding.level, -a.mac_share) < std::tuple(b.finding.level, -b.mac_share);
  });
  return linted;
}

}  // namespace detent
