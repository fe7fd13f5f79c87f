//   before:   x --+--> Conv --> Relu --> Conv --> Add --> Relu         x --> Q/DQ --+--> ...  --> Conv --> Q/DQ --> Add
//                 +-------------------------------^                                 +------------------------------^
//
// Add, Sub, Mul, Max and Min of two activations, average pooling and Resize read pairs on all inputs if INT8 kernels
// write all of them; no pair stands behind them. For the NPU both operands have one scale. An
// operator that reads a float layer stays float: codes would only cost precision there (our policy; NNCF quantizes
// it). The factors of x * Sigmoid(x), GELU, normalizations (R2, R9) and the decoding of heads (R18) stay float too.
//
// Source: github.com/openvinotoolkit/nncf, src/nncf/onnx/graph/metatypes/groups.py and
// src/nncf/common/hardware/setups, read in November 2026. Motivated by models/cifar10_resnet18.

#include <algorithm>

#include "place/draft/decoding.h"
#include "place/draft/flow.h"
#include "place/rules/rules.h"

namespace detent::rules::openvino {
namespace {

bool combines_activations(const GraphFacts& facts, const Node& node) {
  switch (facts.kind(node.id)) {
    case OpKind::Add:
    case OpKind::Sub:
    case OpKind::Mul:
    case OpKind::Max:
    case OpKind::Min: break;
    default: return false;
  }
  const auto is_activation = [&](ValueId value) { return !facts.is_constant(value); };
  return node.inputs.size() == 2 && std::ranges::all_of(present(node.inputs), is_activation) &&
         !gated_activation(facts, node.id);
}

bool is_quantizable(const GraphFacts& facts, const Node& node) {
  switch (facts.kind(node.id)) {
    case OpKind::AveragePool:
    case OpKind::GlobalAveragePool:
    case OpKind::Resize: return true;
    default: return combines_activations(facts, node);
  }
}

void place(const GraphFacts& facts, PlacementDraft& draft, const Node& node, const ValueMap<bool>& sources) {
  if (draft.is_out(node.id) || !is_quantizable(facts, node) || is_decoding(draft, node.id)) return;
  const auto& slots = facts.data_slots(node.id);
  if (std::ranges::any_of(slots, [&](int slot) { return draft.is_decided(node.id, slot); })) return;
  const auto is_int8 = [&](int slot) {
    const MaybeValue input = node.input(slot);
    return facts.may_carry_pair(input) && (sources[*input] || draft.has_pair(input));
  };
  const bool wanted = !slots.empty() && std::ranges::all_of(slots, is_int8);
  for (const int slot : slots) {
    if (wanted)
      draft.pair(node.id, slot,
                 node.op_type + " between INT8 kernels: OpenVINO runs it in INT8 with pairs on all inputs");
    else
      draft.keep_float(node.id, slot, "no INT8 kernel writes every input of " + facts.describe(node.id));
  }
}

void decide_elementwise(const GraphFacts& facts, PlacementDraft& draft) {
  ValueMap<bool> sources(facts.graph().values().size(), false);
  for (const Node& node : facts.graph().nodes()) {
    place(facts, draft, node, sources);
    add_int8_sources(draft, node, sources);
  }
}

void share_operands(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    if (facts.kind(node.id) == OpKind::Resize && node.string_or("mode", "nearest") == "nearest" &&
        draft.is_pair(node.id, 0))
      draft.share_scale(node.input(0), node.output(0));
    if (!facts.target().operands_share_scale || !combines_activations(facts, node)) continue;
    if (!draft.is_pair(node.id, 0) || !draft.is_pair(node.id, 1)) continue;
    draft.share_scale(node.inputs[0], node.inputs[1]);
    for (const ValueId input : present(node.inputs))
      draft.explain_pairs(input, "one scale for both inputs of " + facts.describe(node.id));
  }
}

}  // namespace

Rule elementwise() {
  return {.id = RuleId::OpenVinoElementwise, .decide = decide_elementwise, .share = share_operands};
}

}  // namespace detent::rules::openvino
