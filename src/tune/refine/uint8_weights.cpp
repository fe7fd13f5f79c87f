#include "tune/refine/uint8_weights.h"

#include <algorithm>

#include "core/stopwatch.h"
#include "ops/traits.h"
#include "ops/weight_pairs.h"
#include "rewrite/quantized_model.h"
#include "run/deciding_samples.h"
#include "run/sample_subset.h"
#include "tune/acceptance.h"

namespace detent {

namespace {

/// Returns the weights of layers that read no other layer's values, where a pair of weights can saturate; none of a
/// ConvTranspose, which OpenVINO runs in float with zero point 128.
std::set<std::string> first_weights(const Graph& graph, const PlacementPlan& plan) {
  ValueMap<bool> behind_a_layer(graph.values().size(), false);
  std::set<std::string> found;
  for (const Node& node : graph.nodes()) {
    const bool behind = std::ranges::any_of(present(node.inputs), [&](ValueId value) { return behind_a_layer[value]; });
    const LayerDecision* layer = plan.find_layer(node.id);
    if (layer && !behind && traits_of(graph, node).kind != OpKind::ConvTranspose)
      for (const WeightDecision& weight : plan.weights) {
        if (weight.node != node.id || !layer->runs_on_codes()) continue;
        const Tensor* constant = graph.constant(weight.value);
        if (constant && weight_pairs(graph, node, weight.slot, constant->shape()).kind != PairOrder::Kind::None)
          found.insert(graph.value(weight.value).name);
      }
    for (const ValueId output : present(node.outputs))
      if ((behind || layer)) behind_a_layer[output] = true;
  }
  return found;
}

}  // namespace

Uint8Weights try_uint8_weights(const Model& model, const PlacementPlan& plan, const std::map<ValueId, Range>& ranges,
                               const RewriteOptions& format, const DataSource& source, const RunSettings& settings) {
  constexpr double kWorthDb = 0.1;
  const Stopwatch stopwatch;
  Uint8Weights result;
  const std::set<std::string> names = first_weights(model.graph(), plan);
  result.layers = names.size();
  if (names.empty()) {
    result.reason = "no first layer can saturate";
    return result;
  }
  RewriteOptions changed = format;
  changed.uint8_weights = names;
  const SampleSubset samples(source, deciding_samples(source));
  const auto with = [&](const RewriteOptions& written) { return quantized_model(model, plan, ranges, written); };
  static_cast<MeasuredChange&>(result) =
      judge_change({model, [&] { return with(format); }, [&] { return with(changed); }, samples, settings,
                    "comparing UINT8 weights", kWorthDb});
  if (result.kept) result.names = names;
  result.seconds = stopwatch.seconds();
  return result;
}

}  // namespace detent
