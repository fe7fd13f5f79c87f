#include "place/plan/coverage.h"

#include <algorithm>

#include "core/float_type.h"
#include "ops/traits.h"
#include "ops/value_types.h"
#include "place/plan/least_codes.h"

namespace detent {
namespace {

const Shape* find_shape(const ValueShapes& shapes, ValueId value) {
  const auto found = shapes.find(value);
  return found == shapes.end() ? nullptr : &found->second;
}

// Counts the MACs of LSTM, GRU, RNN: each step of each sample meets all weights W and R. The first two axes of the data
// count steps and samples.
int64_t count_recurrent_macs(const Graph& graph, const ValueShapes& shapes, const Node& node) {
  const Shape* data = find_shape(shapes, node.input(0));
  const Tensor *input_weight = graph.constant(node.input(1)), *state_weight = graph.constant(node.input(2));
  if (!data || !input_weight || !state_weight || data->rank() < 2) return 0;
  return data->element_count(0, 2) * (input_weight->element_count() + state_weight->element_count());
}

// Counts MACs: every element of the data tensor (ConvTranspose) or of the output (others) meets this many weights.
int64_t count_macs(const Graph& graph, const ValueShapes& shapes, const Node& node) {
  const OpTraits& traits = traits_of(graph, node);
  if (traits.weight_slot < 0) return count_recurrent_macs(graph, shapes, node);
  const size_t weight_slot =
      graph.constant(node.input(traits.weight_slot)) ? static_cast<size_t>(traits.weight_slot) : 0;
  const Shape& weight = graph.constant(node.inputs[weight_slot])->shape();
  const bool transposed = traits.weight_axis == WeightAxis::Second;
  const Shape* driver = find_shape(shapes, transposed ? node.input(0) : node.output(0));
  if (!driver) return 0;
  switch (traits.weight_axis) {
    case WeightAxis::First:   // weights [OC, IC/group, kernel...]
    case WeightAxis::Second:  // weights [IC, OC/group, kernel...]
      return driver->element_count() * weight.element_count(1, weight.rank());
    case WeightAxis::GemmOutput: return driver->element_count() * weight[node.int_or("transB", 0) != 0 ? 1 : 0];
    default:
      return driver->element_count() * (weight_slot == 0 ? weight[weight.rank() - 1] : weight[weight.rank() - 2]);
  }
}

// Counts the MACs of both products: every score sums over a head, every number of the result over all keys.
int64_t count_macs(const Graph& graph, const ValueShapes& shapes, const AttentionBlock& block) {
  const Shape *query = find_shape(shapes, block.query), *output = find_shape(shapes, block.output);
  if (!query || !output || query->rank() < 2 || output->rank() < 2) return 0;
  if (block.is_operator()) {
    const Shape* key = find_shape(shapes, block.key);
    if (!key || key->rank() < 2) return 0;
    const int64_t keys = (*key)[key->rank() - 2];
    return (query->element_count() + output->element_count()) * keys;
  }
  const Shape *scores = find_shape(shapes, graph.node(block.first).output(0)), *value = find_shape(shapes, block.value);
  if (!scores || !value || value->rank() < 2) return 0;
  return scores->element_count() * (*query)[query->rank() - 1] + output->element_count() * (*value)[value->rank() - 2];
}

TypeShare& share_of(TypeShares& types, bool int8, DataType type) {
  return int8 ? types.int8 : is_half(type) ? types.half : types.float32;
}

/// Counts the numbers of tables that Gather reads, each table once.
void count_embeddings(const Graph& graph, PlacementPlan& plan) {
  std::set<ValueId> counted;
  for (const Node& node : graph.nodes()) {
    const MaybeValue table = node.op_type == "Gather" ? node.input(0) : kNoValue;
    const Tensor* numbers = table ? graph.constant(*table) : nullptr;
    if (!numbers || numbers->element_count() < kLeastCodes || !counted.insert(*table).second) continue;
    const bool codes = std::ranges::find(plan.weights, *table, &WeightDecision::value) != plan.weights.end();
    const bool stored = numbers->type() == DataType::Int8;  // in a file with codes already
    if (!codes && !stored && numbers->type() != DataType::Float32 && !is_half(numbers->type())) continue;
    plan.coverage.embedding_params += numbers->element_count();
    if (codes || stored) plan.coverage.int8_embedding_params += numbers->element_count();
  }
}

void count_activations(const Graph& graph, const ValueShapes& shapes, std::span<const ValueId> activations,
                       const ValueMap<DataType>& types, PlacementPlan& plan) {
  const std::set<NodeId> inside = casts_inside_pairs(graph, plan);
  const auto goes_into_pairs = [&](ValueId value) {
    return std::ranges::all_of(graph.value(value).uses, [&](const Use& use) { return inside.contains(use.node); });
  };
  for (const ValueId value : activations) {
    const Shape* shape = find_shape(shapes, value);
    if (!shape || goes_into_pairs(value)) continue;
    const int64_t bytes = shape->element_count() * static_cast<int64_t>(byte_size(DataType::Float32));
    const ValueDecision& decision = plan.about(value);
    const bool int8 = decision.pair;
    const DataType type = types[value];
    plan.coverage.activation_bytes += bytes;
    if (int8) plan.coverage.int8_activation_bytes += bytes;
    share_of(plan.coverage.types, int8, type).activation_bytes +=
        shape->element_count() * static_cast<int64_t>(!int8           ? byte_size(type)
                                                      : decision.wide ? 2
                                                                      : 1);
  }
}

}  // namespace

std::set<NodeId> casts_inside_pairs(const Graph& graph, const PlacementPlan& plan) {
  std::set<NodeId> inside;
  const ValueMap<DataType> types = value_types(graph);
  for (const Node& node : graph.nodes()) {
    if (traits_of(graph, node).kind != OpKind::Cast) continue;
    const Value &before = graph.value(*node.input(0)), &behind = graph.value(*node.output(0));
    if (share_scales(types[before.id], types[behind.id]) && !before.is_constant && !before.is_output &&
        !behind.is_output && plan.only_pairs_read(behind))
      inside.insert(node.id);
  }
  return inside;
}

void count_layer(const LayerDecision& layer, PlacementPlan& plan) {
  CoverageReport& sum = plan.coverage;
  ++sum.layers;
  sum.macs += layer.macs;
  sum.params += layer.params;
  if (!layer.runs_on_codes()) return;
  const bool wide = layer.runs == Runs::A16W8 && plan.type != CodeType::A16W8;
  ++(wide ? sum.int16_layers : sum.int8_layers);
  (wide ? sum.int16_macs : sum.int8_macs) += layer.macs;
  sum.int8_params += layer.params;
}

void count_coverage(const Graph& graph, const ValueShapes& shapes, std::span<const ValueId> activations,
                    PlacementPlan& plan) {
  plan.coverage = {};
  const ValueMap<DataType> types = value_types(graph);
  for (LayerDecision& layer : plan.layers) {
    const Node& node = graph.node(layer.node);
    layer.macs = count_macs(graph, shapes, node);
    const DataType type = node.output(0) ? types[*node.output(0)] : DataType::Float32;
    share_of(plan.coverage.types, layer.runs_on_codes(), type).macs += layer.macs;
    count_layer(layer, plan);
  }
  for (AttentionDecision& decision : plan.attention) decision.macs = count_macs(graph, shapes, decision.block);
  count_embeddings(graph, plan);
  count_activations(graph, shapes, activations, types, plan);
  plan.coverage.pairs = std::ssize(plan.paired_values());
}

}  // namespace detent
