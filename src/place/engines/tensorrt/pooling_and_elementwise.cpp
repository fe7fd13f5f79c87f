// Pooling, Resize, Add and Mul are quantized between INT8 layers.
//
//   before:   Conv --> Relu --> GlobalAveragePool --> Q --> DQ --> Conv
//   after:    Conv --> Relu --> Q --> DQ --> GlobalAveragePool --> Q --> DQ --> Conv
//
//   squeeze-and-excite, with --policy se-mul=both:
//   x --+-> GlobalAveragePool -> Conv -> Relu -> Conv -> Sigmoid -> Q/DQ -+
//       +-> Q/DQ ------------------------------------------------------> Mul
//
// * Decides: average pooling, ReduceMean over space, linear Resize, and Add and Mul of two activations are quantized on
//   their inputs where a producer runs in INT8 and every reader is quantized. The Mul of a squeeze-and-excite block
//   gets pairs on both inputs where one comes from an INT8 kernel.
// * Why: an op without weights that reads INT8 must write INT8.
// * Change it: `--policy se-mul=both|float` for the Mul of squeeze-and-excite.
// * Source: TensorRT guide; Model-Optimizer; NVIDIA/TensorRT, tools/tensorflow-quantization (EfficientNet,
//   MobileNetV3). That *every* reader has to be quantized is ours; Model-Optimizer asks for one neighbour.
// * Networks: models/cifar10_efficientnet_b0.

#include <fmt/core.h>

#include <algorithm>

#include "place/draft/flow.h"
#include "place/engines/tensorrt/rules.h"

namespace detent::rules::tensorrt {
namespace {

bool is_gate(OpKind kind) { return kind == OpKind::Sigmoid || kind == OpKind::HardSigmoid || kind == OpKind::Clip; }

bool averages(OpKind kind) {
  return kind == OpKind::GlobalAveragePool || kind == OpKind::ReduceMean || kind == OpKind::AveragePool;
}

// Walks up from the gate to the pooling of `x`; blocks have two layers and their activations, so a short walk suffices.
bool excites(const GraphFacts& facts, MaybeValue gate, MaybeValue x) {
  constexpr int kLongestBlock = 16;
  const Node* node = facts.producer(gate);
  if (!node || !is_gate(facts.kind(node->id))) return false;
  bool layer_seen = false;
  for (int step = 0; node && step < kLongestBlock; ++step) {
    if (averages(facts.kind(node->id))) return layer_seen && node->input(0) == x;
    layer_seen = layer_seen || facts.is_weighted(node->id);
    const auto gated = gated_activation(facts, node->id);
    const MaybeValue up = gated ? gated->input : facts.data_input(node->id);
    node = facts.producer(up);
  }
  return false;
}

// Returns the Mul that multiplies an equalized gate by one factor a channel, before the product; nullptr when there is
// none.
const Node* gate_factors(const GraphFacts& facts, MaybeValue gate) {
  const Node* node = facts.producer(gate);
  const bool factors = node && facts.kind(node->id) == OpKind::Mul && is_constant_affine(facts, node->id);
  return factors && sole_use(facts.graph(), gate) ? node : nullptr;
}

// Returns the gate before such factors.
MaybeValue bare_gate(const GraphFacts& facts, MaybeValue gate) {
  const Node* factors = gate_factors(facts, gate);
  return factors ? varying_input(facts, factors->id) : gate;
}

bool is_excitation(const GraphFacts& facts, const Node& node) {
  if (facts.kind(node.id) != OpKind::Mul || node.inputs.size() != 2) return false;
  if (!node.inputs[0] || !node.inputs[1]) return false;
  return excites(facts, bare_gate(facts, node.inputs[0]), node.inputs[1]) ||
         excites(facts, bare_gate(facts, node.inputs[1]), node.inputs[0]);
}

// True for means over spatial axes: every axis is 2 or more, or counted from the end and not only the last (a norm over
// features).
bool is_spatial_mean(const GraphFacts& facts, const Node& node) {
  std::vector<int64_t> axes = node.ints_or("axes", {});
  const Tensor* tensor = facts.graph().constant(node.input(1));
  if (tensor && tensor->type() == DataType::Int64)
    axes.assign(tensor->data<int64_t>().begin(), tensor->data<int64_t>().end());
  if (axes.empty()) return false;
  const bool from_front = std::all_of(axes.begin(), axes.end(), [](int64_t axis) { return axis >= 2; });
  const bool from_end =
      axes.size() >= 2 && std::all_of(axes.begin(), axes.end(), [](int64_t axis) { return axis < 0; });
  return from_front || from_end;
}

bool is_quantizable(const GraphFacts& facts, const Node& node) {
  switch (facts.kind(node.id)) {
    case OpKind::AveragePool:
    case OpKind::GlobalAveragePool: return true;
    case OpKind::ReduceMean: return is_spatial_mean(facts, node);
    case OpKind::Resize: return node.string_or("mode", "nearest") == "linear";
    case OpKind::Add:
    case OpKind::Mul:
      return node.inputs.size() == 2 && !facts.is_constant(node.inputs[0]) && !facts.is_constant(node.inputs[1]) &&
             !written_activation(facts, node.id);
    default: return false;
  }
}

// Places the pair before the factors of an equalized gate, which lie between 1/64 and 64: one scale for all would lose
// the small ones.
bool place_before_factors(const GraphFacts& facts, PlacementDraft& draft, const Node& node, int slot) {
  const Node* factors = gate_factors(facts, node.input(slot));
  if (!factors || !excites(facts, varying_input(facts, factors->id), node.input(1 - slot))) return false;
  for (const int inner : facts.data_slots(factors->id))
    if (facts.may_carry_pair(factors->input(inner)))
      draft.pair(factors->id, inner,
                 "gate of a squeeze-and-excite block, before its factors: one scale would lose the small ones");
  draft.keep_float(node.id, slot, "the gate's factors run in the kernel of the product");
  return true;
}

void place_excitation(const GraphFacts& facts, PlacementDraft& draft, const Node& node) {
  for (const int slot : facts.data_slots(node.id)) {
    if (draft.options().se_mul != PlacementOptions::SeMul::Float && place_before_factors(facts, draft, node, slot))
      continue;
    if (draft.options().se_mul == PlacementOptions::SeMul::Float)
      draft.keep_float(node.id, slot, "Mul of a squeeze-and-excite block (--policy se-mul=float)");
    else if (facts.may_carry_pair(node.input(slot)))
      draft.pair(
          node.id, slot,
          "Mul of a squeeze-and-excite block: both inputs are quantized (--policy se-mul=float keeps them float)");
  }
}

void place_between_kernels(const GraphFacts& facts, PlacementDraft& draft, const Node& node,
                           const ValueMap<bool>& sources) {
  if (draft.is_out(node.id) || !is_quantizable(facts, node)) return;
  const auto& slots = facts.data_slots(node.id);
  if (std::any_of(slots.begin(), slots.end(), [&](int slot) { return draft.is_decided(node.id, slot); })) return;
  const auto from_int8 = [&](int slot) { return sources[*node.input(slot)]; };
  if (!std::any_of(slots.begin(), slots.end(), from_int8)) {
    for (const int slot : slots)
      draft.keep_float(node.id, slot,
                       fmt::format("no input of {} comes from an {} kernel", facts.describe(node.id), draft.codes()));
    return;
  }
  const bool wanted = all_readers_quantized(facts, draft, node.output(0));
  for (const int slot : slots) {
    if (!wanted)
      draft.keep_float(node.id, slot,
                       "a reader of " + facts.describe(node.id) + " is not quantized, so it would have to write float");
    else if (facts.may_carry_pair(node.input(slot)))
      draft.pair(
          node.id, slot,
          fmt::format("between {0} kernels: {0} in needs {0} out, and all readers are quantized", draft.codes()));
  }
}

void decide_pooling_and_elementwise(const GraphFacts& facts, PlacementDraft& draft) {
  const ValueMap<bool> kernels = int8_sources(draft);
  for (const Node& node : facts.graph().nodes()) {
    const auto from_int8 = [&](int slot) { return kernels[*node.input(slot)]; };
    if (!draft.is_out(node.id) && is_excitation(facts, node) &&
        std::ranges::any_of(facts.data_slots(node.id), from_int8))
      place_excitation(facts, draft, node);
  }
  ValueMap<bool> sources(facts.graph().values().size(), false);
  for (const Node& node : facts.graph().nodes()) {
    place_between_kernels(facts, draft, node, sources);
    add_int8_sources(draft, node, sources);
  }
}

}  // namespace

constinit const Rule kPoolingAndElementwise{.name = {"R8", "pooling and elementwise"},
                                            .decide = decide_pooling_and_elementwise};

}  // namespace detent::rules::tensorrt
