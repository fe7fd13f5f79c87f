#include "lint/engines/onnxruntime/onnxruntime_flow.h"

#include <algorithm>
#include <set>

#include "ops/merged_pad.h"
#include "place/draft/flow.h"

namespace detent {

bool moves_pairs(const GraphFacts& facts, const PlacementDraft& draft, NodeId node) {
  switch (facts.kind(node)) {
    case OpKind::Reshape: return commutes(facts, draft, node) && facts.node(node).op_type != "Flatten";
    case OpKind::Transpose:
    case OpKind::Slice:
    case OpKind::MaxPool: return commutes(facts, draft, node);
    default: return false;
  }
}

namespace {

// Returns the constant behind Identity nodes, through which exporters share a bias and which ONNX Runtime removes.
const Tensor* constant_behind_copies(const PairView& view, MaybeValue value) {
  while (value && !view.facts().is_constant(value)) {
    const Node* node = view.producer(value);
    value = node && view.facts().kind(node->id) == OpKind::Reshape ? node->input(0) : kNoValue;
  }
  return view.graph().constant(value);
}

bool fixes_shapes(const Graph& graph) {
  return std::ranges::all_of(graph.inputs(), [&](ValueId input) {
    const auto& shape = graph.value(input).declared_shape;
    return shape && std::ranges::all_of(*shape, [](int64_t extent) { return extent >= 0; });
  });
}

// Returns the rank; 0 when unknown.
size_t rank_of(const PairView& view, MaybeValue value) {
  if (!value) return 0;
  if (const Shape* found = find_shape(view.shapes(), value)) return found->rank();
  const auto& declared = view.value(*value).declared_shape;
  return declared ? declared->size() : 0;
}

// Returns the extent of an axis; -1 when unknown.
int64_t extent_of(const PairView& view, MaybeValue value, size_t axis) {
  if (!value) return -1;
  if (const Shape* found = find_shape(view.shapes(), value)) return (*found)[axis];
  const auto& declared = view.value(*value).declared_shape;
  return declared ? (*declared)[axis] : -1;
}

// True when the bias fits a Gemm: a matrix product adds [N], [1, N], [M, N] or [M, 1] of its size; a product of rank 3
// and more becomes a Gemm between Reshapes of fixed shapes, which adds [N].
bool fits_gemm(const PairView& view, const Node& product, const Shape& bias, int64_t columns) {
  const MaybeValue data = view.facts().data_input(product.id);
  const size_t rank = rank_of(view, data);
  if (bias.rank() == 1) return bias[0] == columns && (rank <= 2 || fixes_shapes(view.graph()));
  if (bias.rank() != 2 || rank > 2) return false;
  if (bias[0] == 1 && bias[1] == columns) return true;
  return rank == 2 && bias[0] == extent_of(view, data, 0) && (bias[1] == 1 || bias[1] == columns);
}

// Returns the Add behind a MatMul that becomes the bias of a Gemm.
std::optional<ProductBias> added_bias(const PairView& view, const Node& product) {
  const auto use = sole_use(view.graph(), product.output(0));
  if (!use || view.facts().kind(use->node) != OpKind::Add || view.operand(use->node, use->slot)) return std::nullopt;
  const Node& add = view.node(use->node);
  const int slot = 1 - use->slot;
  const Tensor* bias = constant_behind_copies(view, add.input(slot));
  const Shape& weight = view.facts().weight(product.id).shape();
  if (!bias || view.facts().weight_slot(product.id) != 1 || weight.rank() != 2) return std::nullopt;
  if (!fits_gemm(view, product, bias->shape(), weight[1])) return std::nullopt;
  const bool reshaped = rank_of(view, view.facts().data_input(product.id)) > 2;
  return ProductBias{use->node, slot, *add.output(0), bias->shape().rank(), reshaped};
}

}  // namespace

const QuantizedOperand* pair_in_front(const PairView& view, NodeId layer, int slot) {
  const GraphFacts& facts = view.facts();
  const PlacementDraft& found = view.found();
  NodeId node = layer;
  while (true) {
    if (const QuantizedOperand* pair = view.operand(node, slot)) return pair;
    const Node* producer = view.producer(view.node(node).input(slot));
    if (!producer) return nullptr;
    const bool pads = facts.kind(layer) == OpKind::Conv && node == layer &&
                      merged_pad(view.graph(), view.node(layer)) == producer && commutes(facts, found, producer->id);
    if (!pads && !moves_pairs(facts, found, producer->id)) return nullptr;
    node = producer->id;
    slot = facts.data_slots(node).front();
  }
}

const QuantizedOperand* input_pair(const PairView& view, NodeId layer) {
  return pair_in_front(view, layer, view.data_slot(layer));
}

size_t engine_readers(const PairView& view, MaybeValue value) {
  if (!value) return 0;
  std::set<int> pairs;
  size_t others = 0;
  for (const Use& use : view.value(*value).uses) {
    const QuantizedOperand* pair = use.slot < 0 ? nullptr : view.operand(use.node, use.slot);
    const bool folded = use.slot >= 0 && view.facts().kind(use.node) == OpKind::ShapeOf && fixes_shapes(view.graph());
    if (pair && pair->quantize >= 0)
      pairs.insert(pair->quantize);
    else
      others += !folded;
  }
  return pairs.size() + others;
}

bool has_one_reader(const PairView& view, const QuantizedOperand& operand) {
  if (operand.quantize < 0 || operand.dequantize < 0) return true;
  const QdqNode& dequantize = view.qdq(operand.dequantize);
  const size_t folded = fixes_shapes(view.graph()) ? dequantize.shape_readers : 0;
  const size_t readers = dequantize.readers - folded + (dequantize.writes_graph_output ? 1 : 0);
  if (view.qdq(operand.quantize).readers != 1 || readers != 1) return false;
  // The engine removes an Identity and merges the two pairs around it.
  const MaybeNode node = view.graph().find_node(operand.node);
  const Node* copy = node ? view.producer(view.node(*node).input(operand.slot)) : nullptr;
  const QuantizedOperand* before = copy && copy->op_type == "Identity" ? view.operand(copy->id, 0) : nullptr;
  return !before || !same_grid(view.grid(*before), view.grid(operand)) || has_one_reader(view, *before);
}

std::vector<const QuantizedOperand*> closing_pairs(const PairView& view, MaybeValue value) {
  if (!value) return {};
  const Value& v = view.value(*value);
  if (v.is_output || v.uses.empty()) return {};
  if (const auto use = sole_use(view.graph(), value);
      use && !view.operand(use->node, use->slot) && moves_pairs(view.facts(), view.found(), use->node))
    return closing_pairs(view, view.node(use->node).output(0));
  std::vector<const QuantizedOperand*> pairs;
  for (const Use& use : v.uses) {
    const QuantizedOperand* pair = use.slot < 0 ? nullptr : view.operand(use.node, use.slot);
    // The shape of a value is a constant there when the shapes of the inputs are.
    if (use.slot >= 0 && view.facts().kind(use.node) == OpKind::ShapeOf && fixes_shapes(view.graph())) continue;
    const bool stays = use.slot >= 0 && view.facts().kind(use.node) == OpKind::QuantizeLinear;
    if (!pair && !stays) return {};
    if (!pair) continue;
    if (!pairs.empty() && !same_grid(view.grid(*pairs.front()), view.grid(*pair))) return {};
    pairs.push_back(pair);
  }
  return pairs;
}

DataType engine_codes(const PairView& view, const QuantizedOperand& pair, PairPlace place) {
  const DataType codes = view.grid(pair).codes;
  return codes == DataType::Int8 && (place == PairPlace::BeyondCopies || has_one_reader(view, pair)) ? DataType::UInt8
                                                                                                     : codes;
}

std::optional<ProductBias> product_bias(const PairView& view, NodeId product) {
  const Node& node = view.node(product);
  if (view.facts().kind(product) == OpKind::MatMul) return added_bias(view, node);
  if (view.facts().kind(product) != OpKind::Gemm || !node.input(2)) return std::nullopt;
  const Tensor* bias = constant_behind_copies(view, node.input(2));
  return ProductBias{product, 2, *node.output(0), bias ? bias->shape().rank() : 0};
}

}  // namespace detent
