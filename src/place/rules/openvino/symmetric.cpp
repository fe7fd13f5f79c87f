//   float:   x --> Q/DQ (zero point 113) --> ConvTranspose      INT8:   x --> Q/DQ (zero point 128) --> ConvTranspose
//
// An asymmetric ConvTranspose runs in float, and so does a product of two activations. The pairs that they read get a
// range about 0: zero point 128 of UINT8, or 0 where nothing is negative.
//
// Source: docs.openvino.ai, low-precision-transformations (ConvolutionBackpropData, MatMul);
// github.com/openvinotoolkit/nncf, qspaces.py (q8_a_sym of ScaledDotProductAttention), read in November 2026. Motivated
// by models/shapes_unet.

#include "place/draft/flow.h"
#include "place/rules/rules.h"

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

Rule symmetric() { return {.id = RuleId::OpenVinoSymmetric, .share = share_symmetric}; }

}  // namespace detent::rules::openvino
