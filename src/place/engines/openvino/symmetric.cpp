// A ConvTranspose or a product of two activations reads symmetric pairs.
//
//   float:   x --> Q/DQ (zero point 113) --> ConvTranspose      INT8:   x --> Q/DQ (zero point 128) --> ConvTranspose
//
// * Decides: the pairs that a ConvTranspose or a product of two activations reads have zero point 128 of UINT8, or 0
//   for a value that is nowhere negative.
// * Why: with another zero point the operator runs in float.
// * Change it: no option.
// * Source: OpenVINO, Low Precision Transformations (ConvolutionBackpropData, MatMul); NNCF, `qspaces.py` (`q8_a_sym`
//   of ScaledDotProductAttention).
// * Networks: models/shapes_unet.

#include "place/draft/flow.h"
#include "place/engines/openvino/rules.h"

namespace detent::rules::openvino {
namespace {

// Runs before pairs move up through copies, so that each slot still shows its pair.
void share_symmetric(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    const bool product = facts.kind(node.id) == OpKind::MatMul && !facts.is_weighted(node.id);
    if (!product && facts.kind(node.id) != OpKind::ConvTranspose) continue;
    for (const int slot : facts.data_slots(node.id)) {
      if (!draft.is_pair(node.id, slot)) continue;
      draft.make_symmetric(*node.input(slot));
      draft.explain_pairs(*node.input(slot), facts.describe(node.id) + " wants a symmetric grid");
    }
  }
}

}  // namespace

constinit const Rule kSymmetric{.name = {"V3", "symmetric", kOpenVinoTransformations}, .share = share_symmetric};

}  // namespace detent::rules::openvino
