#include "report/output_errors.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace detent {

namespace {

/// Returns a key for sorting, lower for worse outputs.
std::pair<int, double> rank(const ErrorReport::Output& output) {
  if (is_exact(output)) return {2, 0};
  if (output.kind == OutputKind::Integers) return {1, output.agreement.value_or(0)};
  if (!output.sqnr_db) return {3, 0};
  return {0, std::isnan(*output.sqnr_db) ? -HUGE_VAL : *output.sqnr_db};
}

}  // namespace

bool is_exact(const ErrorReport::Output& output) {
  if (output.kind == OutputKind::Integers) return output.differing == 0;
  return output.sqnr_db && std::isinf(*output.sqnr_db) && *output.sqnr_db > 0;
}

std::vector<ErrorReport::Output> worst_first(std::vector<ErrorReport::Output> outputs) {
  std::ranges::stable_sort(outputs, {}, rank);
  return outputs;
}

std::vector<SensitivityReport::Layer> ranked_layers(const SensitivityReport& report) {
  std::vector<SensitivityReport::Layer> all(report.layers);
  all.insert(all.end(), report.operators.begin(), report.operators.end());
  std::ranges::stable_sort(all, {}, [](const SensitivityReport::Layer& layer) {
    return std::pair(layer.sqnr_db_alone, -layer.sqnr_db_all_but);
  });
  return all;
}

std::vector<LayerScore> scores_of(std::span<const SensitivityReport::Layer> layers) {
  std::vector<LayerScore> scores;
  for (const LayerScore& score : kLayerScores)
    if (std::ranges::any_of(layers, [&](const auto& layer) { return (layer.*score.alone).has_value(); }))
      scores.push_back(score);
  return scores;
}

std::string the_output(const std::vector<ErrorReport::Output>& outputs) {
  return outputs.size() > 1 ? "the worst output" : "the output";
}

}  // namespace detent
