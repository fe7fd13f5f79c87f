#include "report/compared_types.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <tuple>

#include "core/text.h"
#include "report/quantities.h"

namespace detent {

namespace {

constexpr std::array<std::string_view, 4> kFirst{"int8", "fp8", "int4", "int32"};

/// Returns the limited loss or SQNR of one variant.
std::string limited_text(const TypeLimit& limit, size_t variant) {
  const double loss = limit.losses[variant];
  if (limit.metric == metrics::kSqnr.name)
    return std::isinf(loss) && loss > 0 ? "is exact" : fmt::format("has {:.2f} dB", loss);
  if (loss == 0) return "loses nothing";
  return (loss < 0 ? "gains " : "loses ") + loss_text(metric_named(limit.metric), std::abs(loss));
}

/// Returns the variant that exceeds the limit least; unmeasured ones and the float model come last.
size_t closest(const CompareTypesReport& report, const TypeLimit& limit) {
  const auto beyond = [&](size_t v) {
    const double loss = limit.metric == metrics::kSqnr.name ? -limit.losses[v] : limit.losses[v];
    const bool is_float = report.variants[v].facts.quantized_layers == 0;
    return is_float || std::isnan(loss) ? INFINITY : loss;
  };
  size_t best = 0;
  for (size_t v = 1; v < limit.losses.size(); ++v)
    if (beyond(v) < beyond(best)) best = v;
  return best;
}

}  // namespace

PrintedComparison::PrintedComparison(const CompareCalibratorsReport& report)
    : ComparisonReport(report), target(report.target), equalized(report.equalized), plan(report.plan),
      values(report.values) {
  for (const CalibratorVariant& one : report.variants) variants.push_back({one, one.takes});
}

PrintedComparison::PrintedComparison(const CompareTargetsReport& report)
    : ComparisonReport(report), target(join(report.targets, ", ")), targets(report.targets) {
  for (const TargetVariant& one : report.variants) variants.push_back({one, one.calibrator, &one});
  if (const TargetVariant* best = winning_variant(report)) plan = best->plan;
}

PrintedComparison::PrintedComparison(const CompareTypesReport& report)
    : ComparisonReport(report), target(report.target), equalized(report.equalized), types(&report) {
  plan.opset = report.opset, plan.nodes = report.nodes;
  for (const TypeVariant& one : report.variants) variants.push_back({one, one.calibrator, nullptr, &one});
}

std::string compared_kind(const PrintedComparison& report) {
  return report.types ? "type" : report.targets.empty() ? "calibrator" : "target";
}

bool adds_calibrator(const PrintedComparison::Variant& variant) {
  return !variant.takes.empty() && !variant.name.ends_with(" " + variant.takes);
}

size_t count_float_layers(const TargetVariant& variant) {
  return static_cast<size_t>(std::ranges::count(variant.plan.layers, false, &PlanReport::Layer::int8));
}

std::optional<double> find_metric(const std::map<std::string, double>& metrics, const std::string& name) {
  const auto found = metrics.find(name);
  return found == metrics.end() ? std::nullopt : std::optional(found->second);
}

double ratio_of(uint64_t part, uint64_t whole) {
  return static_cast<double>(part) / static_cast<double>(std::max<uint64_t>(whole, 1));
}

std::vector<std::string> weight_types(const CompareTypesReport& report) {
  std::vector<std::string> types{"float"};
  for (const TypeVariant& variant : report.variants)
    for (const auto& [type, bytes] : variant.facts.weight_bytes)
      if (std::ranges::find(types, type) == types.end()) types.push_back(type);
  std::ranges::sort(types, {}, [](const std::string& type) {
    return std::tuple(type == "float", std::ranges::find(kFirst, type) - kFirst.begin(), type);
  });
  return types;
}

uint64_t weight_bytes(const TypeFacts& facts) {
  uint64_t bytes = 0;
  for (const auto& [type, stored] : facts.weight_bytes) bytes += stored;
  return bytes;
}

double weight_share(const TypeFacts& facts, const std::string& type) {
  const auto found = facts.weight_bytes.find(type);
  return found == facts.weight_bytes.end() ? 0 : ratio_of(found->second, weight_bytes(facts));
}

std::string type_text(const TypeVariant& variant) {
  const TypeFacts& facts = variant.facts;
  const std::string layers =
      std::to_string(facts.quantized_layers) + " of " + plural(static_cast<size_t>(facts.layers), "weighted layer");
  if (facts.quantized_layers == 0) return layers + ": it stays the float model";
  if (!facts.block)
    return layers + ", " + plural(static_cast<size_t>(facts.pairs), "pair") + ", calibrator " + variant.calibrator +
           (facts.by_inputs ? ", weights rounded by GPTQ" : "");
  return "weights alone of " + layers +
         (*facts.block == 0 ? ", a scale a channel" : ", blocks of " + std::to_string(*facts.block)) +
         (facts.by_inputs ? ", rounded by GPTQ" : ", nearest codes");
}

std::string limit_text(const CompareTypesReport& report) {
  if (!report.limit) return {};
  const TypeLimit& limit = *report.limit;
  const std::string option = limit.option + (limit.given ? "" : " (the default)");
  const auto smallest = std::ranges::find(report.variants, limit.smallest, &ComparedVariant::name);
  if (smallest == report.variants.end()) {
    const size_t v = closest(report, limit);
    return "no type is within " + option + "; the closest is " + report.variants[v].name + ", which " +
           limited_text(limit, v);
  }
  const auto v = static_cast<size_t>(smallest - report.variants.begin());
  return "smallest within " + option + ": " + smallest->name + ", which " + limited_text(limit, v) +
         fmt::format("; its file has {:.3f} of the size of FP32, its weights {:.3f}",
                     ratio_of(smallest->size_bytes, report.model_bytes),
                     ratio_of(weight_bytes(smallest->facts), report.weight_bytes));
}

}  // namespace detent
