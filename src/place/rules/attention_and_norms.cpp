// Softmax, GELU, normalizations and products of two activations stay float.
//
//   before:   Conv --> Transpose --> LayerNormalization
//   after:    Conv --> Transpose --> Q --> DQ --> LayerNormalization
//
//   GELU:     Conv --+--> Div --> Erf --> Add --> Mul --> Mul --> z        no pair on any of the inner edges
//                    +-----------------------------------^
//
//   RMSNorm:  x --+--> Pow --> ReduceMean --> Add --> Sqrt --> Div --> z   no pair on these, on the factors of SwiGLU's
//                 +---------------------------------------------^          gate, or inside rotary embeddings
//
// * Decides: Softmax, GELU and normalizations stay float, also written out; a LayerNormalization behind an INT8 Conv
//   reads a pair. A MatMul of two activations outside attention (R20) stays float. The factors of an MLP's gate
//   (SwiGLU, GeGLU), whose product is quantized, stay float too, and so do rotary embeddings: sines, cosines, their
//   products and the sum.
// * Why: NVIDIA's tool places pairs that way; an option quantizes products of activations as it does. TensorRT makes
//   one kernel of a chain of elementwise operators; pairs inside would only round its values.
// * Change it: `--policy attention=int8`, with `--type fp8` `--policy attention=fp8`, puts pairs on both inputs of a
//   MatMul of two activations.
// * Source: Model-Optimizer. The product of two activations: ours; Model-Optimizer quantizes it in places. Norms
//   written out, gates and rotary embeddings: ours, after the [pointwise
//   fusion](https://docs.nvidia.com/deeplearning/tensorrt/latest/performance/fusion-catalog.html) of TensorRT.
// * Networks: exports/vit_mini, exports/fpn_mini (GELU as its formula).

#include <fmt/core.h>

#include "place/draft/flow.h"
#include "place/draft/gated_products.h"
#include "place/draft/norms.h"
#include "place/rules/rules.h"

namespace detent::rules {
namespace {

bool stays_float(OpKind kind) {
  switch (kind) {
    case OpKind::Softmax:
    case OpKind::LogSoftmax:
    case OpKind::Gelu:
    case OpKind::LayerNorm:
    case OpKind::InstanceNorm:
    case OpKind::GroupNorm:
    case OpKind::OtherNorm: return true;
    default: return false;
  }
}

// True when `value` is the output of an INT8 Conv, possibly moved.
bool comes_from_int8_conv(const GraphFacts& facts, const PlacementDraft& draft, MaybeValue value) {
  const Node* node = facts.producer(value);
  while (node && commutes(facts, draft, node->id)) node = facts.producer(facts.data_input(node->id));
  return node && facts.kind(node->id) == OpKind::Conv && draft.is_int8(node->id);
}

// Source: GELU as PyTorch exports it, with Erf and with its Tanh approximation.
void place_gelu(const GraphFacts& facts, PlacementDraft& draft, const Node& product) {
  const auto written = written_activation(facts, product.id);
  if (!written || written->form != WrittenActivation::Form::Gelu) return;
  for (const NodeId node : written->nodes)
    for (const int slot : facts.data_slots(node)) draft.keep_float(node, slot, "inside GELU, which stays float");
}

void keep_inputs_float(PlacementDraft& draft, NodeId node, const std::string& reason) {
  for (const int slot : draft.facts().data_slots(node)) draft.keep_float(node, slot, reason);
}

// Keeps floats inside a normalization of primitives, as in its operator, and in gates of MLPs and rotary embeddings,
// where a pair before the one that the next product reads only costs precision.
void place_parts(const GraphFacts& facts, PlacementDraft& draft, const Node& node) {
  if (const auto norm = norm_ending_in(facts, node))
    for (const NodeId part : norm->inside) keep_inputs_float(draft, part, "inside a normalization, which stays float");
  if (is_gate_of_mlp(facts, draft, node))
    keep_inputs_float(draft, node.id, "gate of an MLP: its product is quantized, the two factors stay float");
  if (!is_rotation(facts, draft, node)) return;
  keep_inputs_float(draft, node.id, "rotary embedding: sines and cosines stay float");
  const auto use = sole_use(facts.graph(), node.output(0));
  if (use && facts.kind(use->node) == OpKind::Add)
    keep_inputs_float(draft, use->node, "sum of a rotary embedding, which stays float");
}

void decide_attention_and_norms(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    if (draft.is_out(node.id)) continue;
    place_gelu(facts, draft, node);
    place_parts(facts, draft, node);
    const OpKind kind = facts.kind(node.id);
    const MaybeValue input = facts.data_input(node.id);
    if (!input) continue;
    if (kind == OpKind::LayerNorm && comes_from_int8_conv(facts, draft, input))
      draft.pair(node.id, 0, fmt::format("a LayerNormalization behind an {} Conv reads a pair", draft.codes()));
    else if (stays_float(kind))
      draft.keep_float(node.id, 0, node.op_type + " stays float");
    else if (kind == OpKind::MatMul && !facts.is_weighted(node.id))
      place_activation_product(draft, node);
  }
}

}  // namespace

constinit const Rule kAttentionAndNorms{.name = {"R9", "attention and norms"}, .decide = decide_attention_and_norms};

}  // namespace detent::rules
