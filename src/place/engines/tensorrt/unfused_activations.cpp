// Names the activations that TensorRT does not fuse although no pair stands between (R2).
//
// Source: LeakyRelu needs the pair behind it: github.com/NVIDIA/TensorRT/issues/2134. Mish and PRelu are separate
// kernels: tried with TensorRT 10.6.

#include <algorithm>

#include "place/draft/flow.h"
#include "place/engines/tensorrt/rules.h"
#include "place/rules/rules.h"

namespace detent::rules::tensorrt {
namespace {

// Returns the operator Mish or PRelu that reads the value, or the last node of Mish written out; kNoNode when there is
// none.
MaybeNode activation_alone(const GraphFacts& facts, MaybeValue value) {
  if (!value) return kNoNode;
  for (const Use& use : facts.value(*value).uses) {
    if (use.slot < 0) continue;
    if (use.slot == 0 && (facts.kind(use.node) == OpKind::PRelu || facts.node(use.node).op_type == "Mish"))
      return use.node;
    const auto written = written_activation(facts, use.node);
    if (!written || written->form != WrittenActivation::Form::Other || written->input != *value) continue;
    const auto is_tanh = [&](NodeId inside) { return facts.kind(inside) == OpKind::Tanh; };
    if (facts.kind(use.node) == OpKind::Mul && std::ranges::any_of(written->nodes, is_tanh)) return use.node;
  }
  return kNoNode;
}

void note_unfused_activations(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    if (!draft.is_int8(node.id)) continue;
    if (const MaybeNode alone = activation_alone(facts, behind_norm(facts, node.output(0))))
      draft.note(facts.describe(*alone) + " ends Mish or PRelu, a separate kernel behind " + facts.describe(node.id) +
                 ": the layer writes floats, and the activation quantizes them");
    const MaybeNode activation = fused_activation(facts, draft, node.output(0));
    if (!activation || facts.kind(*activation) != OpKind::LeakyRelu) continue;
    if (pairs_behind(draft, facts.node(*activation).output(0)).empty())
      draft.note(facts.describe(*activation) + " fuses with " + facts.describe(node.id) +
                 " only if a pair stands behind it, and no reader needs one there");
  }
}

}  // namespace

const Rule kUnfusedActivations{.name = kFusedActivation.name, .share = note_unfused_activations};

}  // namespace detent::rules::tensorrt
