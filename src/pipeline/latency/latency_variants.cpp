#include "pipeline/latency/latency_variants.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "half/float_format.h"
#include "place/make_plan.h"

namespace detent {

LatencyVariant variant_of(const Attempt& attempt, const QuantizeOptions& options,
                          const std::vector<const LatencyFactor*>& on) {
  const Prepared& prepared = attempt.prepared;
  LatencyVariant variant{options, prepared.recipe, attempt.chosen.format, {}};
  // Its codes have one type, and policies are for pairs.
  const bool dynamic = options.format.dynamic || std::ranges::any_of(on, &LatencyFactor::dynamic);
  variant.options.format.dynamic = dynamic;
  bool resolves = false;
  for (const LatencyFactor* factor : on) {
    if (factor->activation && !dynamic) variant.options.format.activation = factor->activation;
    if (factor->policy && !dynamic) factor->policy(variant.options.placement);
    resolves = resolves || factor->activation || factor->policy || factor->dynamic;
    for (const std::string& node : factor->fixed) variant.recipe.kept.fixed.emplace(node, kFixedIsFaster);
    if (!factor->fixed.empty()) variant.options.placement.include.push_back(factor->options.back());
    for (const std::string& node : factor->nodes) variant.recipe.kept.costly.emplace(node, kFloatIsFaster);
    if (!factor->nodes.empty()) variant.options.placement.exclude.push_back(factor->options.back());
  }
  if (resolves) {
    const MeasuredFacts kept = variant.recipe.kept;
    PlacementOptions placement = variant.options.placement;
    placement.exclude = options.placement.exclude;  // kept float for a reason that the plan gives
    placement.include = options.placement.include;
    variant.recipe = resolved(variant.recipe, options.target, placement, variant.options.format, options.equalize,
                              options.override_file);
    variant.recipe.equalize = prepared.recipe.equalize;
    variant.recipe.kept = kept;
    variant.format = variant.recipe.format;
    variant.format.weight_scales = attempt.chosen.format.weight_scales;
    variant.format.uint8_weights = attempt.chosen.format.uint8_weights;
  }
  variant.plan = make_placement_plan(prepared.graph(), *variant.recipe.target, variant.recipe.placement,
                                     prepared.shapes, variant.recipe.kept);
  return variant;
}

std::string pairs_of(const PlacementPlan& plan) {
  std::string text;
  for (const EdgeDecision& edge : plan.edges)
    text += fmt::format("{},{},{},{:d}{:d}{:d},{};", index_of(edge.value), index_of(edge.consumer), edge.slot,
                        edge.reads_pair(), edge.reads_pair() && plan.codes_of(edge) == CodeType::A16W8,
                        edge.reads == Reads::Dynamic, edge.reads_pair() ? plan.about(edge.value).scale_group : -1);
  for (const LayerDecision& layer : plan.layers)
    text += fmt::format("{}:{:d};", index_of(layer.node), layer.is_quantized());
  for (const WeightDecision& weight : plan.weights) text += fmt::format("{},", index_of(weight.node));
  return text;
}

std::map<ValueId, Range> LatencyVariants::ranges_of(const LatencyVariant& variant) {
  const auto& [prepared, measured, chosen] = attempt_;
  const RangeKind kind = variant.format.range_kind();
  auto found = books_.find(kind);
  if (found == books_.end())
    found = books_.emplace(kind, range_book(prepared, measured, *chosen.calibrator, chosen.ranges, kind)).first;
  found->second.measure_for({&variant.plan, 1});
  return found->second.ranges_of(variant.plan);
}

RewrittenModel LatencyVariants::model_of(const LatencyVariant& variant, const Provenance& provenance) {
  const Prepared& prepared = attempt_.prepared;
  const std::map<ValueId, Range> ranges = ranges_of(variant);
  RewrittenModel made = rewritten(
      prepared.model().clone(),
      {variant.plan, ranges, variant.format, attempt_.chosen.constants, variant.recipe.placement.quantize_outputs},
      provenance);
  return made;
}

void take_variant(Attempt& attempt, LatencyVariant variant, std::map<ValueId, Range> ranges) {
  attempt.prepared.recipe = std::move(variant.recipe);
  attempt.prepared.plan = std::move(variant.plan);
  attempt.chosen.ranges = std::move(ranges);
  attempt.chosen.format = std::move(variant.format);
}

}  // namespace detent
