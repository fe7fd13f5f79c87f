#include "lint/view/pair_view.h"

#include <algorithm>
#include <set>

#include "place/draft/flow.h"
#include "place/make_plan.h"

namespace detent {

bool is_read_as_int8(const PairView& view, const QdqNode& node) {
  const bool symmetric = std::ranges::all_of(node.zero_points, [](int64_t point) { return point == 0; });
  return view.target().reads_uint8_as_int8 && node.codes == DataType::UInt8 && node.has_zero_point && symmetric &&
         !node.int8_constant;
}

namespace {

/// Returns the nodes without weights that the file says it leaves float, where no pair stands in front of them since.
MeasuredFacts left_out(const GraphFacts& facts, const QdqReading& reading,
                       const std::map<std::string, std::string>& left_float) {
  MeasuredFacts measured;
  for (const auto& [name, reason] : left_float) {
    const MaybeNode node = facts.graph().find_node(name);
    if (node && !facts.is_weighted(*node) && std::ranges::count(reading.operands, name, &QuantizedOperand::node) == 0)
      measured.ruined.emplace(name, reason);
  }
  return measured;
}

PlacementRequest request_for(CodeType type) {
  PlacementRequest request;
  request.type = type;
  return request;
}

}  // namespace

PairView::PairView(const Graph& graph, const QdqReading& reading, const Target& target, const ValueShapes& shapes,
                   const std::map<std::string, std::string>& left_float)
    : graph_(graph), reading_(reading), target_(target), shapes_(shapes), options_(request_for(reading.type())),
      operands_of_(reading.nodes.size()), facts_(graph, target, &shapes),
      wanted_(facts_, options_, left_out(facts_, reading, left_float)), found_(facts_, options_),
      readers_(facts_, found_), quantizes_(std::ranges::any_of(reading.nodes, &QdqNode::quantizes)) {
  for (const QuantizedOperand& operand : reading.operands) {
    if (const MaybeNode node = graph.find_node(operand.node))
      operands_.emplace(std::pair{*node, operand.slot}, &operand);
    for (const int index : {operand.quantize, operand.dequantize})
      if (index >= 0) operands_of_[static_cast<size_t>(index)].push_back(&operand);
  }
  apply_rules(wanted_);
  wanted_plan_ = wanted_.finish({});
  place_found_pairs();
}

void PairView::place_found_pairs() {
  found_.begin_rule(nullptr);
  for (const auto& [edge, operand] : operands_) found_.pair(edge.first, edge.second, "pair in the file");
  const bool mixes = reading_.type() == CodeType::Int8 && std::ranges::any_of(reading_.nodes, [](const QdqNode& node) {
                       return node.role == QdqRole::Activation && is_wide(node);
                     });
  for (const auto& [edge, operand] : operands_)
    if (mixes && !operand->constant) found_.set_width(edge.first, is_wide(grid(*operand)) ? 16 : 8);
  for (const Node& node : graph_.nodes())
    for (const int slot : facts_.data_slots(node.id)) found_.keep_float(node.id, slot, "no pair in the file");
}

const QuantizedOperand* PairView::operand(NodeId node, int slot) const {
  const auto found = operands_.find({node, slot});
  return found == operands_.end() ? nullptr : found->second;
}

const QdqNode& PairView::grid(const QuantizedOperand& operand) const {
  static const QdqNode none = [] {
    QdqNode node;
    node.codes = DataType::Undefined;
    return node;
  }();
  const int last = operand.dequantize >= 0 ? operand.dequantize : operand.quantize;
  return last >= 0 ? qdq(last) : none;
}

std::vector<const QuantizedOperand*> PairView::pairs_in_front(NodeId node, int slot,
                                                              bool (*passes)(const Node&)) const {
  std::vector<const QuantizedOperand*> pairs;
  // Readings that must carry one of the pairs, the next one last.
  std::vector<std::pair<NodeId, int>> open{{node, slot}};
  std::set<std::pair<NodeId, int>> seen{open.front()};
  while (!open.empty()) {
    const auto [reader, input] = open.back();
    open.pop_back();
    if (const QuantizedOperand* own = operand(reader, input)) {
      if (own->quantize < 0 && own->dequantize < 0) return {};
      if (!pairs.empty() && target_.concat_shares_scale && !same_grid(grid(*pairs.front()), grid(*own))) return {};
      pairs.push_back(own);
      continue;
    }
    const Node* producer = graph_.producer(graph_.node(reader).input(input));
    const bool one = producer && (commutes(facts_, found_, producer->id) || (passes && passes(*producer)));
    if (!one && (!producer || !is_data_concat(facts_, found_, producer->id))) return {};
    const std::vector<int>& slots = facts_.data_slots(producer->id);
    for (size_t i = one ? 1 : slots.size(); i-- > 0;)
      if (seen.emplace(producer->id, slots[i]).second) open.emplace_back(producer->id, slots[i]);
  }
  return pairs;
}

std::vector<const QuantizedOperand*> PairView::pairs_on(MaybeValue value) const {
  std::vector<const QuantizedOperand*> pairs;
  if (!value) return pairs;
  for (const Use& use : graph_.value(*value).uses)
    if (const QuantizedOperand* own = operand(use.node, use.slot)) pairs.push_back(own);
  return pairs;
}

std::string PairView::weight_alone(NodeId layer) const {
  const QuantizedOperand* operand = weight(layer);
  if (!operand || operand->quantize >= 0 || operand->dequantize < 0 || is_quantized(layer, data_slot(layer))) return {};
  const QdqNode& node = qdq(operand->dequantize);
  if (!node.int8_constant || (!node.is_weight_alone() && quantizes_)) return {};
  return "only its weight is " + std::string(name_of(node.codes)) +
         (node.block > 0 ? ", in blocks of " + std::to_string(node.block) : "");
}

std::vector<NodeId> PairView::layers_of(int index) const {
  std::set<NodeId> layers;
  for (const QuantizedOperand* operand : operands_of(index)) {
    const MaybeNode found = graph_.find_node(operand->node);
    if (!found) continue;
    const NodeId node = *found;
    if (facts_.is_weighted(node)) {
      layers.insert(node);
      continue;
    }
    for (const ValueId output : present(graph_.node(node).outputs))
      if ((commutes(facts_, found_, node) || is_data_concat(facts_, found_, node)))
        for (const NodeId layer : layers_reading(output)) layers.insert(layer);
  }
  return {layers.begin(), layers.end()};
}

MaybeNode PairView::layer_writing(MaybeValue value) const {
  const Node* node = graph_.producer(value);
  while (node && !facts_.is_weighted(node->id)) {
    if (const auto gated = gated_activation(facts_, node->id)) {
      node = graph_.producer(gated->input);
      continue;
    }
    if (facts_.data_slots(node->id).size() != 1) return kNoNode;
    node = graph_.producer(facts_.data_input(node->id));
  }
  return node ? node->id : kNoNode;
}

}  // namespace detent
