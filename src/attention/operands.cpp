#include "attention/operands.h"

#include <algorithm>

#include "ops/traits.h"

namespace detent {
namespace {

/// Longest way from a product to its operand's projection: scale, rotary positions, copies, casts.
constexpr int kLongestWay = 12;

bool is_computed(const Graph& graph, MaybeValue value) { return value && !graph.value(*value).is_constant; }

/// True for a node that changes no number but the order, the type or a factor.
bool is_carrier(const Graph& graph, const Node& node, OpKind kind) {
  if (kind == OpKind::Cast || keeps_elements(traits_of(graph, node))) return true;
  return (kind == OpKind::Mul || kind == OpKind::Div) && node.inputs.size() == 2 &&
         is_computed(graph, node.input(0)) != is_computed(graph, node.input(1));
}

MaybeValue carried(const Graph& graph, const Node& node) {
  return is_computed(graph, node.input(0)) ? node.input(0) : node.input(1);
}

/// True for a table of sines or cosines, computed in the graph or constant behind copies.
bool is_table(const Graph& graph, MaybeValue value) {
  for (int step = 0; step < kLongestWay; ++step) {
    const Node* node = graph.producer(value);
    if (!node) return value && graph.value(*value).is_constant;
    if (node->op_type == "Cos" || node->op_type == "Sin") return true;
    if (traits_of(graph, *node).kind != OpKind::Cast && !keeps_elements(traits_of(graph, *node))) return false;
    value = node->input(0);
  }
  return false;
}

/// True for the product of one operand with a table.
bool is_turned(const Graph& graph, MaybeValue value) {
  const Node* node = graph.producer(value);
  return node && traits_of(graph, *node).kind == OpKind::Mul && node->inputs.size() == 2 &&
         (is_table(graph, node->inputs[0]) != is_table(graph, node->inputs[1]));
}

bool adds_turned(const Graph& graph, const Node& node, OpKind kind) {
  return kind == OpKind::Add && node.inputs.size() == 2 && is_turned(graph, node.inputs[0]) &&
         is_turned(graph, node.inputs[1]);
}

/// Marks of the nodes in front of an operand.
struct Way {
  bool rotary = false, repeated = false;
};

Way way_to(const Graph& graph, MaybeValue value) {
  Way way;
  for (int step = 0; step < kLongestWay; ++step) {
    const Node* node = graph.producer(value);
    if (!node) break;
    const OpKind kind = traits_of(graph, *node).kind;
    way.rotary = way.rotary || node->op_type == "RotaryEmbedding" || adds_turned(graph, *node, kind);
    way.repeated = way.repeated || kind == OpKind::Expand || kind == OpKind::Tile;
    if (!is_carrier(graph, *node, kind)) break;
    value = carried(graph, *node);
  }
  return way;
}

int64_t known(int64_t extent) { return std::max<int64_t>(extent, 0); }

/// Returns the extent `back` places from the end; 0 when it is open or not known.
int64_t from_end(const std::optional<std::vector<int64_t>>& extents, size_t back) {
  return extents && extents->size() >= back ? known((*extents)[extents->size() - back]) : 0;
}

}  // namespace

void describe_operands(const Graph& graph, const ExtentsOf& extents_of, AttentionBlock& block) {
  const auto query = extents_of(block.query), key = extents_of(block.key), value = extents_of(block.value);
  AttentionSizes& sizes = block.sizes;
  // Einsum has its operands in any order: their sizes stay open until it becomes a MatMul.
  if (graph.node(block.first).op_type != "Einsum") {
    sizes.heads = query && query->size() >= 3 ? std::max(from_end(query, 3), from_end(key, 3)) : 0;
    sizes.head_size = std::max(from_end(query, 1), from_end(key, 2));
    sizes.queries = from_end(query, 2);
    sizes.keys = std::max(from_end(key, 1), from_end(value, 2));
  }
  block.rotary = way_to(graph, block.query).rotary;
  block.grouped = way_to(graph, block.key).repeated;
}

}  // namespace detent
