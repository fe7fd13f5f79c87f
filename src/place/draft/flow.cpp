#include "place/draft/flow.h"

#include <algorithm>
#include <ranges>
#include <set>

#include "ops/traits.h"

namespace detent {
namespace {

// True when a Pad adds zeros or copies of border elements; another number may not lie on the grid.
bool pads_with_zero(const GraphFacts& facts, const Node& node) {
  if (node.string_or("mode", "constant") != "constant") return true;
  if (node.float_or("value", 0.0F) != 0.0F) return false;
  if (!node.input(2)) return true;
  const Tensor* tensor = facts.graph().constant(node.input(2));
  if (!tensor || tensor->element_count() != 1) return false;
  const Tensor plain = cast(*tensor, DataType::Float32);
  return plain.data<float>()[0] == 0.0F;
}

// True for an op whose data inputs all read pairs, which makes it an INT8 kernel.
bool reads_pairs_only(const PlacementDraft& draft, NodeId node) {
  const auto& slots = draft.facts().data_slots(node);
  return !slots.empty() && std::all_of(slots.begin(), slots.end(), [&](int slot) { return draft.is_pair(node, slot); });
}

// True for an activation of several nodes that hands on codes: in the layer's kernel, or in a separate one that reads
// what the layer writes as floats.
bool writes_codes(const GraphFacts& facts, const WrittenActivation& written) {
  using Form = WrittenActivation::Form;
  return written.form == Form::Gated || (written.form == Form::Other && facts.target().engine.pairs_in_front_suffice);
}

bool writes_int8(const GraphFacts& facts, const PlacementDraft& draft, const Node& node,
                 const ValueMap<bool>& sources) {
  const auto from = [&](MaybeValue value) { return value && sources[*value]; };
  if (facts.is_weighted(node.id)) return draft.is_int8(node.id);
  if (draft.is_out(node.id)) return false;
  if (commutes(facts, draft, node.id) || is_fusable_activation(facts.kind(node.id)))
    return from(facts.data_input(node.id));
  if (const auto written = written_activation(facts, node.id); written && writes_codes(facts, *written))
    return from(written->input);
  if (layer_of_norm(facts, node.id) && from(node.input(0))) return true;
  if (is_constant_affine(facts, node.id) && from(varying_input(facts, node.id))) return true;
  const auto& slots = facts.data_slots(node.id);
  const auto quantized = [&](int slot) { return draft.is_pair(node.id, slot) || from(node.input(slot)); };
  if (is_data_concat(facts, draft, node.id)) return std::all_of(slots.begin(), slots.end(), quantized);
  // The kernel of its float input's Conv includes a residual Add.
  if (facts.kind(node.id) == OpKind::Add)
    return slots.size() == 2 && std::all_of(slots.begin(), slots.end(), quantized) &&
           std::any_of(slots.begin(), slots.end(), [&](int slot) { return draft.is_pair(node.id, slot); });
  return reads_pairs_only(draft, node.id);
}

}  // namespace

std::optional<Use> sole_use(const Graph& graph, MaybeValue value) {
  if (!value) return std::nullopt;  // an LSTM may leave out Y, a custom operator any output
  const Value& v = graph.value(*value);
  if (v.is_output || v.uses.size() != 1 || v.uses.front().slot < 0) return std::nullopt;
  return v.uses.front();
}

bool is_data_concat(const GraphFacts& facts, const PlacementDraft& draft, NodeId node) {
  return facts.kind(node) == OpKind::Concat && !draft.is_out(node) && facts.is_float(facts.node(node).output(0));
}

bool commutes(const GraphFacts& facts, const PlacementDraft& draft, NodeId node) {
  if (draft.is_out(node) || !keeps_elements(facts.traits(node))) return false;
  if (!facts.is_float(facts.data_input(node))) return false;
  return facts.kind(node) != OpKind::Pad || pads_with_zero(facts, facts.node(node));
}

bool is_constant_affine(const GraphFacts& facts, NodeId id) {
  const OpKind kind = facts.kind(id);
  const Node& node = facts.node(id);
  if ((kind != OpKind::Add && kind != OpKind::Sub && kind != OpKind::Mul && kind != OpKind::Div) ||
      node.inputs.size() != 2 || !node.inputs[0] || !node.inputs[1])
    return false;
  if (kind == OpKind::Div && facts.is_constant(node.inputs[0])) return false;  // c / x is not affine
  return facts.is_constant(node.inputs[0]) != facts.is_constant(node.inputs[1]);
}

MaybeValue varying_input(const GraphFacts& facts, NodeId id) {
  const Node& node = facts.node(id);
  return facts.is_constant(node.inputs[0]) ? node.inputs[1] : node.inputs[0];
}

MaybeNode layer_of_norm(const GraphFacts& facts, NodeId id) {
  const Node& norm = facts.node(id);
  if (facts.kind(id) != OpKind::BatchNorm || norm.int_or("training_mode", 0) != 0 || norm.outputs.size() != 1 ||
      !sole_use(facts.graph(), norm.input(0)))
    return kNoNode;
  for (const int slot : {1, 2, 3, 4})
    if (!facts.is_constant(norm.input(slot))) return kNoNode;
  const Node* layer = facts.producer(norm.input(0));
  const bool includes = layer && facts.kind(layer->id) == OpKind::Conv && facts.is_weighted(layer->id);
  return includes ? MaybeNode(layer->id) : kNoNode;
}

MaybeValue behind_norm(const GraphFacts& facts, MaybeValue value) {
  const auto use = sole_use(facts.graph(), value);
  return use && layer_of_norm(facts, use->node) ? facts.node(use->node).output(0) : value;
}

bool is_fusable_activation(OpKind kind) {
  return is_activation(kind) && kind != OpKind::Tanh && kind != OpKind::OtherActivation;
}

MaybeNode fused_activation(const GraphFacts& facts, const PlacementDraft& draft, MaybeValue value) {
  value = behind_norm(facts, value);
  if (!value) return kNoNode;
  const Value& v = facts.value(*value);
  if (const auto use = sole_use(facts.graph(), value))
    return use->slot == 0 && is_fusable_activation(facts.kind(use->node)) && !draft.is_out(use->node)
               ? MaybeNode(use->node)
               : kNoNode;
  if (v.is_output || v.uses.size() < 2) return kNoNode;
  for (const Use& use : v.uses) {
    if (use.slot < 0) return kNoNode;
    const auto gated = gated_activation(facts, use.node);
    if (!gated || gated->input != *value) continue;
    const auto is_inside = [&](const Use& reading) { return std::ranges::count(gated->nodes, reading.node) > 0; };
    const auto is_out = [&](NodeId node) { return draft.is_out(node); };
    if (std::ranges::all_of(v.uses, is_inside) && std::ranges::none_of(gated->nodes, is_out)) return use.node;
  }
  return kNoNode;
}

MaybeValue fused_output(const GraphFacts& facts, const PlacementDraft& draft, NodeId layer) {
  const MaybeValue own = facts.node(layer).output(0);
  const MaybeNode activation = fused_activation(facts, draft, own);
  return activation ? facts.node(*activation).output(0) : behind_norm(facts, own);
}

void place_activation_product(PlacementDraft& draft, const Node& product) {
  const bool quantizes = quantizes_attention(draft.options());
  const std::string option(attention_option(draft.options()));
  for (const int slot : draft.facts().data_slots(product.id)) {
    if (!quantizes)
      draft.keep_float(product.id, slot, "product of two activations (" + option + " quantizes both)");
    else if (draft.facts().may_carry_pair(product.input(slot)))
      draft.pair(product.id, slot, "product of two activations (" + option + ")");
  }
}

std::vector<ValueId> values_behind(const GraphFacts& facts, const PlacementDraft& draft, const Use& use) {
  if (use.slot < 0 || (!is_data_concat(facts, draft, use.node) && !(commutes(facts, draft, use.node) && use.slot == 0)))
    return {};
  std::vector<ValueId> outputs;
  for (const ValueId output : present(facts.node(use.node).outputs))
    if (facts.is_float(output)) outputs.push_back(output);
  return outputs;
}

ValueMap<bool> values_before_pairs(const PlacementDraft& draft) {
  const Graph& graph = draft.facts().graph();
  ValueMap<bool> before(graph.values().size(), false);
  const auto look_behind = [&](const Value& value) {
    before[value.id] =
        draft.has_pair(value.id) || std::ranges::any_of(value.uses, [&](const Use& use) {
          return std::ranges::any_of(values_behind(draft.facts(), draft, use), [&](ValueId v) { return before[v]; });
        });
  };
  for (const Node& node : graph.nodes() | std::views::reverse)  // readers first
    for (const ValueId output : present(node.outputs)) look_behind(graph.value(output));
  for (const Value& value : graph.values())
    if (!value.producer) look_behind(value);
  return before;
}

std::vector<ValueId> pairs_behind(const PlacementDraft& draft, MaybeValue value) {
  if (!value) return {};
  std::vector<ValueId> found, open{*value};
  std::set<ValueId> seen{*value};
  while (!open.empty()) {
    const ValueId current = open.back();
    open.pop_back();
    if (draft.has_pair(current)) found.push_back(current);
    for (const Use& use : draft.facts().value(current).uses)
      for (const ValueId output : values_behind(draft.facts(), draft, use))
        if (seen.insert(output).second) open.push_back(output);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<ValueId> commuting_neighbours(const GraphFacts& facts, const PlacementDraft& draft, ValueId value) {
  std::vector<ValueId> open{value};
  std::set<ValueId> seen{value};
  const auto visit = [&](MaybeValue next) {
    if (facts.is_float(next) && seen.insert(*next).second) open.push_back(*next);
  };
  while (!open.empty()) {
    const Value& current = facts.value(open.back());
    open.pop_back();
    if (current.producer && commutes(facts, draft, *current.producer)) visit(facts.data_input(*current.producer));
    for (const Use& use : current.uses) {
      if (use.slot != 0 || !commutes(facts, draft, use.node)) continue;
      for (const ValueId output : present(facts.node(use.node).outputs)) visit(output);
    }
  }
  return {seen.begin(), seen.end()};
}

bool is_fused_pointwise(const GraphFacts& facts, const PlacementDraft& draft, NodeId node) {
  return !draft.is_out(node) && (is_fusable_activation(facts.kind(node)) || is_constant_affine(facts, node) ||
                                 gated_activation(facts, node).has_value());
}

bool all_readers_quantized(const GraphFacts& facts, const PlacementDraft& draft, MaybeValue value) {
  if (!value) return false;
  std::vector<ValueId> open{*value};
  std::set<ValueId> seen{*value};
  while (!open.empty()) {
    const Value& current = facts.value(open.back());
    open.pop_back();
    if (current.is_output || current.uses.empty()) return false;
    for (const Use& use : current.uses) {
      if (use.slot < 0) return false;
      if (draft.is_pair(use.node, use.slot) || facts.kind(use.node) == OpKind::ShapeOf) continue;
      const bool passes = is_data_concat(facts, draft, use.node) ||
                          (use.slot == 0 && commutes(facts, draft, use.node)) ||
                          is_fused_pointwise(facts, draft, use.node);
      if (!passes) return false;
      for (const ValueId output : present(facts.node(use.node).outputs))
        if (facts.is_float(output) && seen.insert(output).second) open.push_back(output);
    }
  }
  return true;
}

void add_int8_sources(const PlacementDraft& draft, const Node& node, ValueMap<bool>& sources) {
  const bool int8 = writes_int8(draft.facts(), draft, node, sources);
  for (const ValueId output : present(node.outputs)) sources[output] = int8 && draft.facts().is_float(output);
}

ValueMap<bool> int8_sources(const PlacementDraft& draft) {
  ValueMap<bool> sources(draft.facts().graph().values().size(), false);
  for (const Node& node : draft.facts().graph().nodes()) add_int8_sources(draft, node, sources);
  return sources;
}

}  // namespace detent
