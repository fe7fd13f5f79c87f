#include "calibrate/ruined_values.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "calibrators/squared_error.h"
#include "place/draft/residual_stream.h"

namespace detent {

namespace {

/// Returns the figures where the value is ruined; empty where it is not.
std::string ruin_text(const std::string& name, const Histogram& histogram, RangeKind kind) {
  const std::optional<double> db = expected_sqnr_db(histogram, kind);
  if (!db || *db >= kLeastStreamDb) return "";
  const double root_mean_square = std::sqrt(histogram.sum_of_squares() / static_cast<double>(histogram.count()));
  return fmt::format(
      "8 bits keep {:.1f} dB of '{}', less than {:.0f}: it reaches {:.1f} times its root mean square "
      "(--equalize norm,branch evens channels out, --policy residual=quantize takes it as it is)",
      *db, name, kLeastStreamDb, static_cast<double>(histogram.max_abs()) / root_mean_square);
}

}  // namespace

bool pairs_the_stream(const Graph& graph, const PlacementPlan& plan, const PlacementRequest& placement) {
  const GraphFacts facts(graph, *plan.target);
  const ResidualStream stream = residual_stream(PlacementDraft(facts, placement));
  return std::ranges::any_of(
      plan.edges, [&](const EdgeDecision& edge) { return edge.reads_pair() && stream.contains(edge.value); });
}

std::map<std::string, std::string> ruined_readers(const Graph& graph, const PlacementPlan& plan,
                                                  const PlacementRequest& placement, const Calibration& calibration,
                                                  const RangeOverrides& overrides, RangeKind kind) {
  const GraphFacts facts(graph, *plan.target);
  const ResidualStream stream = residual_stream(PlacementDraft(facts, placement));
  std::map<ValueId, std::string> texts;
  std::map<std::string, std::string> readers;
  for (const EdgeDecision& edge : plan.edges) {
    if (!edge.reads_pair() || !stream.contains(edge.value)) continue;
    const std::string& name = graph.value(edge.value).name;
    const auto histogram = calibration.histograms.find(edge.value);
    if (histogram == calibration.histograms.end() || overrides.contains(name)) continue;
    const auto [text, added] = texts.try_emplace(edge.value);
    if (added) text->second = ruin_text(name, histogram->second, kind);
    if (!text->second.empty()) readers.emplace(graph.node(edge.consumer).name, text->second);
  }
  return readers;
}

}  // namespace detent
