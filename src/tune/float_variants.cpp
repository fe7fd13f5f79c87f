#include "tune/float_variants.h"

#include <algorithm>
#include <set>

#include "place/make_plan.h"
#include "place/plan/restricted_plan.h"
#include "rewrite/qdq_inserter.h"
#include "rewrite/quantized_model.h"

namespace detent {

namespace {

constexpr const char* kMeasuring = "kept float while another layer is measured";

}  // namespace

PairVariants::PairVariants(const Model& model, const Target& target, PlacementRequest placement, ValueShapes shapes,
                           const RewriteOptions& format, RangeBook& ranges, MeasuredFacts measured)
    : model_(model), graph_(model.graph()), target_(target), placement_(std::move(placement)),
      measured_(std::move(measured)), shapes_(std::move(shapes)), format_(format), ranges_(ranges), whole_(plan({})) {}

PlacementPlan PairVariants::plan_with(KeptFloat MeasuredFacts::*kind, const KeptFloat& nodes) const {
  MeasuredFacts facts = measured_;
  (facts.*kind).insert(nodes.begin(), nodes.end());
  return make_placement_plan(graph_, target_, placement_, shapes_, facts);
}

GraphPatch PairVariants::patch(const PlacementPlan& plan) {
  return make_qdq_patch(graph_, plan, ranges_.ranges_of(plan), format_, &weights_).patch;
}

Model PairVariants::model(const PlacementPlan& plan) {
  return quantized_model(model_, plan, ranges_.ranges_of(plan), format_, {}, &weights_);
}

bool PairVariants::is_quantized(const PlacementPlan& plan, NodeId node) const {
  if (const LayerDecision* layer = plan.find_layer(node))
    return layer->is_quantized() && !(layer->runs == Runs::A16W8 && widens());
  const auto reads_codes = [&](const EdgeDecision& edge) {
    return edge.consumer == node && edge.reads_pair() && !(plan.codes_of(edge) == CodeType::A16W8 && widens());
  };
  return std::ranges::any_of(plan.edges, reads_codes);
}

const std::vector<FloatChoice>& PairVariants::choices() const {
  if (!choices_) choices_ = find_choices();
  return *choices_;
}

std::vector<FloatChoice> PairVariants::find_choices() const {
  std::vector<FloatChoice> choices;
  std::set<NodeId> found;
  for (const LayerDecision& layer : whole_.layers)
    if (layer.is_quantized()) found.insert(layer.node);
  // With all layers float, the nodes that still read pairs do so for their own sake.
  KeptFloat kept;
  for (const NodeId node : found) kept.emplace(graph_.node(node).name, kMeasuring);
  const PlacementPlan layers_float = plan(kept);
  for (const EdgeDecision& edge : layers_float.edges)
    if (edge.reads_pair() && !layers_float.find_layer(edge.consumer)) found.insert(edge.consumer);
  for (const NodeId node : found) kept.emplace(graph_.node(node).name, kMeasuring);
  const PlacementPlan all_float = plan(kept);
  for (const NodeId node : found) {
    if (is_quantized(all_float, node)) continue;
    const PlacementPlan without = plan({{graph_.node(node).name, kMeasuring}});
    if (widens() && is_quantized(without, node)) continue;  // a Shape reads each value as it is
    choices.push_back({node, whole_.coverage.int8_macs - without.coverage.int8_macs});
  }
  return choices;
}

PlacementPlan FloatVariants::alone(const FloatChoice& choice) const {
  KeptFloat kept;
  for (const FloatChoice& other : choices())
    if (other.node != choice.node) kept.emplace(graph().node(other.node).name, kMeasuring);
  return plan(kept);
}

PlacementPlan FloatVariants::all_but(const FloatChoice& choice) const {
  return plan({{graph().node(choice.node).name, kMeasuring}});
}

PlacementPlan PairVariants::alone(const FloatChoice& choice) const {
  if (widens()) {
    PlacementPlan made = restricted_to(whole_, graph_, choice.node);
    made.weights.clear();
    return made;
  }
  PlacementPlan made = FloatVariants::alone(choice);
  return is_quantized(made, choice.node) ? made : restricted_to(whole_, graph_, choice.node);
}

}  // namespace detent
