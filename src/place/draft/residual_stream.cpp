#include "place/draft/residual_stream.h"

#include <algorithm>

#include "place/draft/flow.h"

namespace detent {
namespace {

// Steps from the divisor of a written out norm back to its mean: Sqrt, epsilon, Reciprocal, a Cast on either side.
constexpr int kLongestDivisor = 8;

bool is_norm_operator(const Node& node) {
  return node.op_type == "LayerNormalization" || node.op_type == "RMSNormalization" ||
         node.op_type == "SimplifiedLayerNormalization";
}

const Node* producer_of(const PlacementDraft& draft, ValueId value) {
  return value == kNoValue ? nullptr : draft.graph().producer(value);
}

// Reduces one axis: a mean over features, not the pooling of an image.
bool is_mean_of_axis(const PlacementDraft& draft, const Node& node) {
  switch (draft.kind(node.id)) {
    case OpKind::ReduceMean:
    case OpKind::ReduceSum:
    case OpKind::ReduceSumSquare:
    case OpKind::ReduceL2: break;
    default: return false;
  }
  const std::vector<int64_t> axes = node.ints_or("axes", {});
  if (!axes.empty()) return axes.size() == 1;
  const Tensor* tensor = node.input(1) == kNoValue ? nullptr : draft.graph().constant(node.input(1));
  return tensor && tensor->element_count() == 1;
}

// The operand of a step between mean and division; kNoValue where the node is no such step.
ValueId step_up(const PlacementDraft& draft, const Node& node) {
  const OpKind kind = draft.kind(node.id);
  if (kind == OpKind::Sqrt || kind == OpKind::Cast || node.op_type == "Reciprocal") return node.input(0);
  if (is_constant_affine(draft, node.id)) return varying_input(draft, node.id);
  const bool constant = node.inputs.size() >= 2 && node.input(1) != kNoValue && draft.is_constant(node.input(1));
  if ((kind == OpKind::Pow || kind == OpKind::Max || kind == OpKind::Clip) && constant) return node.input(0);
  return kNoValue;
}

bool comes_from_mean(const PlacementDraft& draft, ValueId value) {
  const Node* node = producer_of(draft, value);
  for (int step = 0; node && step < kLongestDivisor; ++step) {
    if (is_mean_of_axis(draft, *node)) return true;
    node = producer_of(draft, step_up(draft, *node));
  }
  return false;
}

// x of x - mean(x); else the value itself.
ValueId before_centring(const PlacementDraft& draft, ValueId value) {
  const Node* node = producer_of(draft, value);
  if (!node || draft.kind(node->id) != OpKind::Sub || node->inputs.size() != 2) return value;
  const Node* mean = producer_of(draft, node->input(1));
  return mean && is_mean_of_axis(draft, *mean) && mean->input(0) == node->input(0) ? node->input(0) : value;
}

// What the node normalizes; kNoValue where it is no normalization.
ValueId normalized_input(const PlacementDraft& draft, const Node& node) {
  if (is_norm_operator(node)) return node.input(0);
  const OpKind kind = draft.kind(node.id);
  if ((kind != OpKind::Div && kind != OpKind::Mul) || node.inputs.size() != 2) return kNoValue;
  for (const size_t scale : {1U, 0U}) {
    if (scale == 0 && kind == OpKind::Div) break;
    if (!draft.is_constant(node.inputs[1 - scale]) && comes_from_mean(draft, node.inputs[scale]))
      return before_centring(draft, node.inputs[1 - scale]);
  }
  return kNoValue;
}

bool is_sum(const PlacementDraft& draft, const Node& node) {
  return draft.kind(node.id) == OpKind::Add && node.inputs.size() == 2 && node.inputs[0] != kNoValue &&
         node.inputs[1] != kNoValue && node.inputs[0] != node.inputs[1] && !draft.is_constant(node.inputs[0]) &&
         !draft.is_constant(node.inputs[1]);
}

class StreamFinder {
 public:
  explicit StreamFinder(const PlacementDraft& draft) : draft_(draft) {
    found_.values.resize(draft.graph().values().size(), false);
  }

  ResidualStream run() {
    for (const Node& node : draft_.graph().nodes()) add_norm(node);
    // An Add joins with its neighbours on either side; each pass takes a chain of them in one direction.
    const auto& nodes = draft_.graph().nodes();
    std::vector<NodeId> sums;
    for (const Node& node : nodes)
      if (is_sum(draft_, node)) sums.push_back(node.id);
    std::vector<bool> joined(nodes.size(), false);
    for (bool changed = !sums.empty(); changed;) {
      changed = false;
      for (const NodeId sum : sums) changed = join(sum, joined) || changed;
      for (auto sum = sums.rbegin(); sum != sums.rend(); ++sum) changed = join(*sum, joined) || changed;
    }
    for (const NodeId sum : sums)
      if (joined[static_cast<size_t>(sum)]) found_.adds.push_back(sum);
    return std::move(found_);
  }

 private:
  void mark(ValueId value) { found_.values[static_cast<size_t>(value)] = true; }

  void add_norm(const Node& node) {
    const ValueId input = normalized_input(draft_, node);
    if (input != kNoValue && !draft_.is_constant(input)) {
      mark(input);
      mark(node.output(0));
    } else if (is_constant_affine(draft_, node.id)) {
      pass_on(node, varying_input(draft_, node.id));
    } else if (commutes(draft_, node.id) || draft_.kind(node.id) == OpKind::Cast) {
      pass_on(node, node.input(0));
    }
  }

  void pass_on(const Node& node, ValueId from) {
    if (!found_.contains(from)) return;
    for (const ValueId output : node.outputs)
      if (output != kNoValue) mark(output);
  }

  bool join(NodeId sum, std::vector<bool>& joined) {
    const Node& node = draft_.graph().node(sum);
    const bool touches =
        found_.contains(node.inputs[0]) || found_.contains(node.inputs[1]) || found_.contains(node.output(0));
    if (!touches || joined[static_cast<size_t>(sum)]) return false;
    joined[static_cast<size_t>(sum)] = true;
    mark(node.inputs[0]);
    mark(node.inputs[1]);
    mark(node.output(0));
    return true;
  }

  const PlacementDraft& draft_;
  ResidualStream found_;
};

}  // namespace

ResidualStream residual_stream(const PlacementDraft& draft) { return StreamFinder(draft).run(); }

}  // namespace detent
