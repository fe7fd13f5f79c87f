// A ConvTranspose stays float.
//
//   before:   x --> Q --> DQ --> ConvTranspose --> Q --> DQ
//             w (float) ---------^
//   after:    x --> Q --> DQ --> ConvTranspose --> Q --> DQ
//             w (int8) -> DQ ----^
//
// If the user excludes such a node, one of the two pairs is missing (R12), and the weight stays float.
//
// * Decides: a ConvTranspose runs in float. If a weighted op stays float between two pairs, its weight is still written
//   as INT8 per channel.
// * Why: there is no integer ConvTranspose. A float weight between two pairs would be quantized by the engine, with one
//   scale for the tensor.
// * Change it: no option.
// * Source: tried.
// * Networks: models/shapes_unet, models/occupancy3d.

#include "place/draft/flow.h"
#include "place/engines/onnxruntime/onnxruntime_pairs.h"
#include "place/engines/onnxruntime/rules.h"

namespace detent::rules::onnxruntime {
namespace {

void decide_float_deconvolution(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes())
    if (facts.kind(node.id) == OpKind::ConvTranspose && facts.is_weighted(node.id) && !draft.is_out(node.id))
      draft.run_float(node.id, "ONNX Runtime has no integer ConvTranspose");
}

bool leads_to_pair(const PlacementDraft& draft, const Node& node) {
  const MaybeValue own = node.output(0);
  const MaybeNode activation = fused_activation(draft.facts(), draft, own);
  return draft.has_pair(own) || (activation && draft.has_pair(draft.facts().node(*activation).output(0)));
}

void share_float_deconvolution(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    if (!facts.is_weighted(node.id) || draft.is_out(node.id) || draft.is_int8(node.id)) continue;
    if (facts.kind(node.id) == OpKind::MatMul) continue;  // the engine does not quantize its float weight
    const MaybeValue input = facts.data_input(node.id);
    if (draft.has_pair(input) && leads_to_pair(draft, node)) draft.quantize_weight(node.id);
  }
}

}  // namespace

constinit const Rule kFloatDeconvolution{
    .name = {"O2", "float deconvolution"}, .decide = decide_float_deconvolution, .share = share_float_deconvolution};

}  // namespace detent::rules::onnxruntime
