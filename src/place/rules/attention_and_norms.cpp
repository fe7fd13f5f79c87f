//   before:   Conv --> Transpose --> LayerNormalization
//   after:    Conv --> Transpose --> Q --> DQ --> LayerNormalization
//
// Softmax, GELU and normalizations stay float; a LayerNormalization behind a Conv reads a pair. The product of two
// activations stays float (ours; Model-Optimizer quantizes it in places); `--attention int8` puts pairs on both inputs.
//
// Source: NVIDIA Model-Optimizer, modelopt/onnx/quantization. Motivated by exports/vit_mini.

#include "place/flow.h"
#include "place/rules/rules.h"

namespace detent::rules {
namespace {

bool stays_float(OpKind kind) {
  switch (kind) {
    case OpKind::Softmax:
    case OpKind::Gelu:
    case OpKind::LayerNorm:
    case OpKind::InstanceNorm:
    case OpKind::GroupNorm:
    case OpKind::OtherNorm: return true;
    default: return false;
  }
}

// The Conv whose output, moved but not computed with, is `value`.
bool comes_from_int8_conv(const PlacementDraft& draft, ValueId value) {
  const Node* node = draft.graph().producer(value);
  while (node && commutes(draft, node->id)) node = draft.graph().producer(draft.data_input(node->id));
  return node && draft.kind(node->id) == OpKind::Conv && draft.is_int8(node->id);
}

void place_product(PlacementDraft& draft, const Node& node) {
  const bool int8 = draft.options().attention == PlacementOptions::Attention::Int8;
  for (const int slot : draft.data_slots(node.id)) {
    if (!int8)
      draft.keep_float(node.id, slot, "product of two activations (--attention float; `int8` quantizes both)");
    else if (draft.may_carry_pair(node.inputs[static_cast<size_t>(slot)]))
      draft.pair(node.id, slot, "product of two activations (--attention int8)");
  }
}

void decide(PlacementDraft& draft) {
  for (const Node& node : draft.graph().nodes()) {
    if (draft.is_out(node.id)) continue;
    const OpKind kind = draft.kind(node.id);
    const ValueId input = draft.data_input(node.id);
    if (input == kNoValue) continue;
    if (kind == OpKind::LayerNorm && comes_from_int8_conv(draft, input))
      draft.pair(node.id, 0, "a LayerNormalization behind an INT8 Conv reads a pair");
    else if (stays_float(kind))
      draft.keep_float(node.id, 0, node.op_type + " stays float");
    else if (kind == OpKind::MatMul && !draft.is_weighted(node.id))
      place_product(draft, node);
  }
}

}  // namespace

Rule attention_and_norms() {
  return {.name = "R9 attention and norms",
          .source = "github.com/NVIDIA/Model-Optimizer, modelopt/onnx/quantization",
          .decide = decide};
}

}  // namespace detent::rules
