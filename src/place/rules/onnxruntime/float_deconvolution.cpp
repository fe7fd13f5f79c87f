//   before:   x --> Q --> DQ --> ConvTranspose --> Q --> DQ
//             w (float) ---------^
//   after:    x --> Q --> DQ --> ConvTranspose --> Q --> DQ
//             w (int8) -> DQ ----^
//
// ONNX Runtime has no integer ConvTranspose, but it silently quantizes a float weight per tensor if the data input has
// a DQ and the output leads to a Q. The weight therefore gets per-channel INT8 codes and a DQ; the same for a Conv or
// Gemm that stays float between two pairs. If the user excludes such a node, one of the pairs is missing (see user
// choice), and the weight stays float.
//
// Source: tried in ONNX Runtime 1.30, CPU. Motivated by models/shapes_unet and models/occupancy3d.

#include "place/draft/flow.h"
#include "place/draft/onnxruntime_pairs.h"
#include "place/rules/rules.h"

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

Rule float_deconvolution() {
  return {
      .id = RuleId::OnnxRuntimeDeconvolution, .decide = decide_float_deconvolution, .share = share_float_deconvolution};
}

}  // namespace detent::rules::onnxruntime
