#include "report/output_errors.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "report/quantities.h"

namespace detent {

namespace {

/// Returns a key for sorting, lower for worse outputs.
std::pair<int, double> rank(const ErrorReport::Output& output) {
  if (is_exact(output)) return {2, 0};
  if (output.kind == OutputKind::Integers) return {1, output.agreement.value_or(0)};
  if (!output.sqnr_db) return {3, 0};
  return {0, std::isnan(*output.sqnr_db) ? -HUGE_VAL : *output.sqnr_db};
}

std::string decibels(double sqnr_db) {
  return std::isnan(sqnr_db) ? "not a number" : fmt::format("{:.1f} dB", sqnr_db);
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

std::string agreement_text(const ErrorReport::Output& output) {
  if (!output.agreement) return {};
  return (output.kind == OutputKind::Signs ? "sign agreement " : "argmax agreement ") +
         percent_text(*output.agreement, 2);
}

std::string output_error_text(const ErrorReport::Output& output) {
  if (is_exact(output)) return "exact";
  if (output.kind == OutputKind::Integers)
    return fmt::format("{} of {} elements differ", output.differing, output.elements);
  if (!output.sqnr_db) return "0 throughout in FP32";
  std::string text = "SQNR " + decibels(*output.sqnr_db);
  if (output.cosine) text += fmt::format(", cosine {:.5f}", *output.cosine);
  return output.agreement ? text + ", " + agreement_text(output) : text;
}

std::string worst_error_text(const ErrorReport& error) {
  if (error.outputs.empty()) return "no output could be compared";
  const std::string agreement =
      error.detections ? fmt::format("detections agree to {:.1f} % mAP, ", 100 * error.detections->agreement) : "";
  if (error.outputs.size() == 1) return agreement + output_error_text(error.outputs.front());
  if (std::ranges::all_of(error.outputs, is_exact))
    return "none: all " + plural(error.outputs.size(), "output") + " exact";
  const ErrorReport::Output worst = worst_first(error.outputs).front();
  const std::string what = worst.sqnr_db ? "SQNR " + decibels(*worst.sqnr_db) : output_error_text(worst);
  return agreement + what + " at '" + worst.name + "', the worst of " + plural(error.outputs.size(), "output");
}

std::string the_output(const std::vector<ErrorReport::Output>& outputs) {
  return outputs.size() > 1 ? "the worst output" : "the output";
}

std::string ties_text(const std::vector<std::string>& ties, size_t samples) {
  const std::string noise = " noise of " + plural(samples, "sample");
  if (ties.empty()) return "better than every other one beyond the" + noise;
  std::string names;
  for (size_t i = 0; i < ties.size(); ++i) names += (i == 0 ? "" : i + 1 == ties.size() ? " and " : ", ") + ties[i];
  return names + (ties.size() == 1 ? " scores" : " score") + " the same within the" + noise;
}

}  // namespace detent
