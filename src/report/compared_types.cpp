#include "report/compared_types.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <tuple>

#include "report/quantities.h"

namespace detent {

namespace {

constexpr std::array<std::string_view, 4> kFirst{"int8", "fp8", "int4", "int32"};

/// Returns the limited loss or SQNR of one variant.
std::string limited_text(const TypeComparison& types, size_t variant) {
  const double loss = types.losses[variant];
  if (types.metric == metrics::kSqnr.name)
    return std::isinf(loss) && loss > 0 ? "is exact" : fmt::format("has {:.2f} dB", loss);
  if (loss == 0) return "loses nothing";
  return (loss < 0 ? "gains " : "loses ") + loss_text(metric_named(types.metric), std::abs(loss));
}

/// Returns the variant that exceeds the limit least; unmeasured ones and the float model come last.
size_t closest(const ComparisonReport& report) {
  const TypeComparison& types = *report.types;
  const auto beyond = [&](size_t v) {
    const double loss = types.metric == metrics::kSqnr.name ? -types.losses[v] : types.losses[v];
    const bool is_float = report.variants[v].type->quantized_layers == 0;
    return is_float || std::isnan(loss) ? INFINITY : loss;
  };
  size_t best = 0;
  for (size_t v = 1; v < types.losses.size(); ++v)
    if (beyond(v) < beyond(best)) best = v;
  return best;
}

}  // namespace

const ComparisonReport::Variant* winning_variant(const ComparisonReport& report) {
  const auto found = std::ranges::find(report.variants, report.winner, &ComparisonReport::Variant::calibrator);
  return found == report.variants.end() ? nullptr : &*found;
}

std::string compared_kind(const ComparisonReport& report) {
  return report.types ? "type" : report.targets.empty() ? "calibrator" : "target";
}

bool adds_calibrator(const ComparisonReport::Variant& variant) {
  return !variant.takes.empty() && !variant.calibrator.ends_with(" " + variant.takes);
}

size_t count_float_layers(const TargetFacts& facts) {
  return static_cast<size_t>(std::ranges::count(facts.plan.layers, false, &PlanReport::Layer::int8));
}

std::optional<double> find_metric(const std::map<std::string, double>& metrics, const std::string& name) {
  const auto found = metrics.find(name);
  return found == metrics.end() ? std::nullopt : std::optional(found->second);
}

double ratio_of(uint64_t part, uint64_t whole) {
  return static_cast<double>(part) / static_cast<double>(std::max<uint64_t>(whole, 1));
}

std::vector<std::string> weight_types(const ComparisonReport& report) {
  std::vector<std::string> types{"float"};
  for (const auto& variant : report.variants)
    if (variant.type)
      for (const auto& [type, bytes] : variant.type->weight_bytes)
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

std::string type_text(const ComparisonReport::Variant& variant) {
  const TypeFacts& facts = *variant.type;
  const std::string layers =
      std::to_string(facts.quantized_layers) + " of " + plural(static_cast<size_t>(facts.layers), "weighted layer");
  if (facts.quantized_layers == 0) return layers + ": it stays the float model";
  if (!facts.block)
    return layers + ", " + plural(static_cast<size_t>(facts.pairs), "pair") + ", calibrator " + variant.takes +
           (facts.by_inputs ? ", weights rounded by GPTQ" : "");
  return "weights alone of " + layers +
         (*facts.block == 0 ? ", a scale a channel" : ", blocks of " + std::to_string(*facts.block)) +
         (facts.by_inputs ? ", rounded by GPTQ" : ", nearest codes");
}

std::string limit_text(const ComparisonReport& report) {
  const TypeComparison& types = *report.types;
  if (types.losses.empty()) return {};
  const std::string limit = types.limit + (types.limit_given ? "" : " (the default)");
  const auto smallest = std::ranges::find(report.variants, types.smallest, &ComparisonReport::Variant::calibrator);
  if (smallest == report.variants.end()) {
    const size_t v = closest(report);
    return "no type is within " + limit + "; the closest is " + report.variants[v].calibrator + ", which " +
           limited_text(types, v);
  }
  const auto v = static_cast<size_t>(smallest - report.variants.begin());
  return "smallest within " + limit + ": " + smallest->calibrator + ", which " + limited_text(types, v) +
         fmt::format("; its file has {:.3f} of the size of FP32, its weights {:.3f}",
                     ratio_of(smallest->size_bytes, types.model_bytes),
                     ratio_of(weight_bytes(*smallest->type), types.weight_bytes));
}

}  // namespace detent
