#include "place/draft/norms.h"

#include "place/draft/flow.h"

namespace detent {
namespace {

// Most steps from the divisor back to the mean: Sqrt, epsilon, Reciprocal, a Cast on either side.
constexpr int kLongestDivisor = 8;

bool is_norm_operator(const Node& node) {
  return node.op_type == "LayerNormalization" || node.op_type == "RMSNormalization" ||
         node.op_type == "SimplifiedLayerNormalization";
}

// True for a reduction of one axis: a mean over features, not the pooling of an image.
bool reduces_one_axis(const GraphFacts& facts, const Node& node) {
  switch (facts.kind(node.id)) {
    case OpKind::ReduceMean:
    case OpKind::ReduceSum:
    case OpKind::ReduceSumSquare:
    case OpKind::ReduceL2: break;
    default: return false;
  }
  const std::vector<int64_t> axes = node.ints_or("axes", {});
  if (!axes.empty()) return axes.size() == 1;
  const Tensor* tensor = facts.graph().constant(node.input(1));
  return tensor && tensor->element_count() == 1;
}

// Returns the operand of a step between mean and division; kNoValue for other nodes.
MaybeValue step_up(const GraphFacts& facts, const Node& node) {
  const OpKind kind = facts.kind(node.id);
  if (kind == OpKind::Sqrt || kind == OpKind::Cast || node.op_type == "Reciprocal") return node.input(0);
  if (is_constant_affine(facts, node.id)) return varying_input(facts, node.id);
  const bool constant = facts.is_constant(node.input(1));
  if ((kind == OpKind::Pow || kind == OpKind::Max || kind == OpKind::Clip) && constant) return node.input(0);
  return kNoValue;
}

// Returns the nodes from the divisor back to the mean, both included; empty when there is no mean.
std::vector<NodeId> divisor_nodes(const GraphFacts& facts, MaybeValue divisor) {
  std::vector<NodeId> nodes;
  const Node* node = facts.producer(divisor);
  for (int step = 0; node && step < kLongestDivisor; ++step) {
    nodes.push_back(node->id);
    if (reduces_one_axis(facts, *node)) return nodes;
    node = facts.producer(step_up(facts, *node));
  }
  return {};
}

// Adds the nodes that subtract the mean; returns their input, or the value when there are none.
ValueId before_centring(const GraphFacts& facts, ValueId value, std::vector<NodeId>& inside) {
  const Node* node = facts.producer(value);
  if (!node || facts.kind(node->id) != OpKind::Sub || node->inputs.size() != 2) return value;
  const Node* mean = facts.producer(node->input(1));
  if (!mean || !reduces_one_axis(facts, *mean) || mean->input(0) != node->input(0)) return value;
  inside.insert(inside.end(), {node->id, mean->id});
  return *node->input(0);
}

// Adds the square before the mean, of the divided value or of x.
void add_square(const GraphFacts& facts, ValueId divided, ValueId x, std::vector<NodeId>& inside) {
  const Node* mean = &facts.node(inside.back());
  const Node* square = facts.producer(mean->input(0));
  if (!square || (facts.kind(square->id) != OpKind::Pow && facts.kind(square->id) != OpKind::Mul)) return;
  if (square->input(0) == divided || square->input(0) == x) inside.push_back(square->id);
}

std::optional<Norm> written_norm(const GraphFacts& facts, const Node& node, size_t divisor) {
  if (!node.inputs[1 - divisor] || facts.is_constant(node.inputs[1 - divisor])) return std::nullopt;
  const ValueId divided = *node.inputs[1 - divisor];
  Norm norm{divided, divisor_nodes(facts, node.inputs[divisor])};
  if (norm.inside.empty()) return std::nullopt;
  std::vector<NodeId> centring;
  norm.input = before_centring(facts, divided, centring);
  add_square(facts, divided, norm.input, norm.inside);
  norm.inside.insert(norm.inside.end(), centring.begin(), centring.end());
  norm.inside.push_back(node.id);
  return norm;
}

}  // namespace

std::optional<Norm> norm_ending_in(const GraphFacts& facts, const Node& node) {
  if (is_norm_operator(node)) return node.input(0) ? std::optional(Norm{*node.input(0), {}}) : std::nullopt;
  const OpKind kind = facts.kind(node.id);
  if ((kind != OpKind::Div && kind != OpKind::Mul) || node.inputs.size() != 2) return std::nullopt;
  if (auto norm = written_norm(facts, node, 1)) return norm;
  return kind == OpKind::Mul ? written_norm(facts, node, 0) : std::nullopt;
}

}  // namespace detent
