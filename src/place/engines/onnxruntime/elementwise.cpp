// Add and Mul have pairs on inputs and output.
//
//   before:   a --> Q/DQ --> Add --> Relu --> z              after:   a --> Q/DQ --> Add --> Relu --> Q/DQ --> z
//             b --> Q/DQ ----^                                        b --> Q/DQ ----^
//
// Inputs may be broadcast. If one input is float, the operator stays float. A Relu is absorbed at zero point 0.
//
// * Decides: nodes that write a GELU (with Tanh of a polynomial) or a HardSwish get no pairs inside. All other Add and
// Mul have pairs on both inputs and on the output; a Relu behind Add and Mul is absorbed. A Where of
//   two activations has pairs on both choices and on the output. A Mul by factors that differ more than twofold from
//   channel to channel stays float, and so does the product before it.
// * Why: they have integer kernels. Such factors are what equalization writes; one scale would lose the small channels.
//   A constant choice of a Where is often a mask of -3.4e38, which the pair behind would have to hold: that Where stays
//   float. The powers of a written GELU span thousands, and codes of them make the file depend on luck: Magika has 17.9
//   or 40.9 dB by its calibrator with pairs inside, 35.4 and 40.7 without, in .89 of the time.
// * Change it: `--include` of the nodes.
// * Source: tried. The factors: ours.
// * Networks: models/cifar10_resnet18 (Add + Relu), models/cifar10_efficientnet_b0 (Mul of squeeze-and-excite).

#include <algorithm>

#include "ops/self_gated.h"
#include "place/draft/decoding.h"
#include "place/draft/flow.h"
#include "place/engines/onnxruntime/onnxruntime_pairs.h"
#include "place/engines/onnxruntime/rules.h"

namespace detent::rules::onnxruntime {
namespace {

bool is_constant_operand(const GraphFacts& facts, ValueId value) {
  return facts.is_constant(value) && facts.is_float(value) && facts.graph().constant(value);
}

// True for the output of a MatMul with a constant added behind it, which becomes QGemm if no pair stands between.
bool is_bias_of_product(const GraphFacts& facts, ValueId value) {
  const Node* producer = facts.producer(value);
  return producer && facts.kind(producer->id) == OpKind::MatMul && facts.is_weighted(producer->id) &&
         sole_use(facts.graph(), value);
}

// Returns the inputs that the op computes with: not the condition of a Where.
std::vector<int> operand_slots(const GraphFacts& facts, const Node& node) {
  return facts.kind(node.id) == OpKind::Where ? std::vector<int>{1, 2} : facts.data_slots(node.id);
}

// True when both choices carry pairs. A constant choice of a Where is often a mask beyond every range, which the pair
// behind would have to represent.
bool chooses_between_pairs(const PlacementDraft& draft, const Node& where) {
  const auto paired = [&](int slot) {
    const MaybeValue choice = where.input(slot);
    return !draft.facts().is_constant(choice) && draft.has_pair(choice);
  };
  return paired(1) && paired(2);
}

bool has_integer_operands(const GraphFacts& facts, const PlacementDraft& draft, const Node& node) {
  if (facts.kind(node.id) == OpKind::Where) return chooses_between_pairs(draft, node);
  const auto& inputs = node.inputs;
  if (std::find(inputs.begin(), inputs.end(), kNoValue) != inputs.end()) return false;
  const auto constants = std::ranges::count_if(inputs, [&](MaybeValue value) { return facts.is_constant(value); });
  return static_cast<size_t>(constants) < inputs.size() && std::ranges::all_of(present(inputs), [&](ValueId value) {
           if (facts.is_constant(value)) return is_constant_operand(facts, value);
           return draft.has_pair(value) && !(constants > 0 && is_bias_of_product(facts, value));
         });
}

// True for a Mul by one factor a channel, the largest more than twice the smallest: equalization writes such nodes
// behind gates and activations. One scale for their input or output would lose the small channels.
bool spreads_channels(const GraphFacts& facts, const Node& node) {
  if (facts.kind(node.id) != OpKind::Mul || node.inputs.size() != 2) return false;
  for (const ValueId input : present(node.inputs)) {
    const Tensor* constant = facts.graph().constant(input);
    if (!constant || !is_constant_operand(facts, input) || constant->element_count() < 2) continue;
    const auto extents = constant->shape().dims();
    if (std::count(extents.begin(), extents.end(), 1) + 1 != std::ssize(extents)) return false;
    const Tensor values = cast(*constant, DataType::Float32);
    const auto [low, high] = std::minmax_element(values.data<float>().begin(), values.data<float>().end());
    return *low > 0 && *high > 2 * *low;
  }
  return false;
}

bool feeds_spread(const GraphFacts& facts, const Node& node) {
  const auto use = sole_use(facts.graph(), node.output(0));
  return use && spreads_channels(facts, facts.node(use->node));
}

// True for a node of a GELU that several nodes write: its powers of x have ranges that no scale fits.
bool writes_gelu(const GraphFacts& facts, const Node& node) {
  constexpr size_t kMostAhead = 12;  // nodes of a written activation
  std::vector<NodeId> ahead{node.id};
  for (size_t next = 0; next < ahead.size() && ahead.size() <= kMostAhead; ++next) {
    const auto written = written_activation(facts, ahead[next]);
    if (written && written->form == WrittenActivation::Form::Gelu &&
        std::ranges::find(written->nodes, node.id) != written->nodes.end())
      return true;
    for (const Use& use : facts.value(*facts.node(ahead[next]).output(0)).uses)
      if (use.slot >= 0) ahead.push_back(use.node);
  }
  return false;
}

// True for a node of a HardSwish that several nodes write, where the engine's file has it as a product of codes.
bool writes_hard_swish(const GraphFacts& facts, const Node& node) {
  constexpr int kMostAhead = 6;  // Add, Max, Min, Mul, Div
  if (!facts.target().engine.gates_in_codes) return false;
  const Node* last = &node;
  for (int steps = 0; steps < kMostAhead; ++steps) {
    if (const auto gated = self_gated_activation(facts.graph(), *last))
      return gated->hard_swish > 0 && (last != &node || !facts.is_constant(node.input(0)));
    const auto use = sole_use(facts.graph(), last->output(0));
    if (!use) return false;
    last = &facts.node(use->node);
  }
  return false;
}

void visit_elementwise(const GraphFacts& facts, PlacementDraft& draft, const Node& node) {
  const OpKind kind = facts.kind(node.id);
  if (spreads_channels(facts, node) || feeds_spread(facts, node)) return;
  const bool has_kernel = kind == OpKind::Add || kind == OpKind::Mul || kind == OpKind::Where;
  if (!has_kernel || draft.is_out(node.id) || is_decoding(draft, node.id)) return;
  if (!has_integer_operands(facts, draft, node)) return;
  if (!draft.is_forced(node.id) && kind != OpKind::Where &&
      (writes_gelu(facts, node) || writes_hard_swish(facts, node)))
    return;
  const MaybeValue own = node.output(0);
  const MaybeValue last = kind == OpKind::Where ? own : absorbed_output(facts, draft, own, Absorbs::Relu);
  const std::string reason = "an integer " + node.op_type + " has pairs on both inputs and on its output";
  if (!close_with_pair(draft, last, reason)) return;
  for (const int slot : operand_slots(facts, node)) {
    draft.pair(node.id, slot, reason);
    draft.fix_range_of_constant(*node.input(slot));
  }
  if (last != own) draft.keep_float(facts.value(*own).uses.front().node, 0, "absorbed by " + facts.describe(node.id));
}

}  // namespace

constinit const Rule kElementwise{.name = {"O4", "integer elementwise"}, .visit = visit_elementwise};

}  // namespace detent::rules::onnxruntime
