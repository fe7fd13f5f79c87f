// Names the activations that TensorRT does not fuse although no pair stands between (R2).
//
// Source: LeakyRelu needs the pair behind it: github.com/NVIDIA/TensorRT/issues/2134. Depthwise Conv + SiLU does not
// fuse: .../issues/3205. Motivated by models/cifar10_efficientnet_b0.

#include "place/draft/flow.h"
#include "place/engines/tensorrt/rules.h"
#include "place/rules/rules.h"

namespace detent::rules::tensorrt {
namespace {

bool is_depthwise(const PlacementDraft& draft, NodeId node) {
  return draft.kind(node) == OpKind::Conv && draft.node(node).int_or("group", 1) > 1 &&
         draft.weight(node).shape()[1] == 1;
}

void note_unfused_activations(PlacementDraft& draft) {
  for (const Node& node : draft.graph().nodes()) {
    if (!draft.is_int8(node.id)) continue;
    const MaybeNode activation = fused_activation(draft, node.output(0));
    if (!activation) continue;
    if (is_depthwise(draft, node.id) && gated_activation(draft, *activation))
      draft.note(draft.describe(node.id) + ": TensorRT does not fuse a depthwise convolution with the SiLU behind it");
    if (draft.kind(*activation) != OpKind::LeakyRelu) continue;
    if (pairs_behind(draft, draft.node(*activation).output(0)).empty())
      draft.note(draft.describe(*activation) + " fuses with " + draft.describe(node.id) +
                 " only if a pair stands behind it, and no reader needs one there");
  }
}

}  // namespace

const Rule kUnfusedActivations{.name = kFusedActivation.name, .share = note_unfused_activations};

}  // namespace detent::rules::tensorrt
