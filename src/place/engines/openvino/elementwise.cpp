// Add, Mul, pooling and Resize between INT8 kernels read pairs on all inputs.
//
//   before:   x --+--> Conv --> Relu --> Conv --> Add --> Relu         x --> Q/DQ --+--> ...  --> Conv --> Q/DQ --> Add
//                 +-------------------------------^                                 +------------------------------^
//
// The factors of x * Sigmoid(x), GELU and normalizations (R2, R9) and the decoding of heads (R18) stay float too.
//
// * Decides: Add, Sub, Mul, Max and Min of two activations, average pooling and Resize read pairs on all inputs, if
//   INT8 kernels write all of them. No pair stands behind. With `openvino:npu` both inputs have one scale. A nearest
//   Resize has one scale with the pair behind it. An AveragePool whose windows count zeros that it (count_include_pad)
//   or a Pad adds reads floats, unless its data cannot go below 0.
// * Why: OpenVINO runs them in INT8 with a FakeQuantize on each input. Beside a float layer codes would only cost
//   precision. With a zero point the engine adds codes of 0, which are another number (1.5 dB for 36).
// * Change it: `--include`, `--exclude`; `--policy residual` (R15).
// * Source: NNCF, `metatypes/groups.py` and `hardware/setups`. That INT8 kernels have to write the inputs: ours; NNCF
//   quantizes beside float layers too.
// * Networks: models/cifar10_resnet18.

#include <algorithm>

#include "place/draft/decoding.h"
#include "place/draft/flow.h"
#include "place/engines/openvino/openvino_kernels.h"
#include "place/engines/openvino/rules.h"

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
         !written_activation(facts, node.id);
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
  const bool adds_codes_of_zero =
      averages_added_zeros(facts, node) &&
      (draft.options().int8_activations || !stays_above_zero(facts, facts.data_input(node.id)));
  for (const int slot : slots) {
    if (wanted && adds_codes_of_zero)
      draft.keep_float(node.id, slot,
                       "its windows count added zeros: between codes with a zero point OpenVINO adds another number");
    else if (wanted)
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

constinit const Rule kElementwise{.name = {"V1", "elementwise"}, .decide = decide_elementwise, .share = share_operands};

}  // namespace detent::rules::openvino
