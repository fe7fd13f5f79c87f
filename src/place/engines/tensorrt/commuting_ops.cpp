// An operator that only moves data asks for no pair.
//
//   before:   Conv --> Relu --> MaxPool --> Conv          after:   Conv --> Relu --> MaxPool --> Q --> DQ --> Conv
//
// * Decides: an op that only moves data (MaxPool, Reshape, Transpose, Slice, Pad with 0 ...) asks for no pair. Pairs
//   that stand on both sides of it share one scale.
// * Why: Q(op(x)) = op(Q(x)), so TensorRT pulls the QuantizeLinear of the next INT8 layer up through it.
// * Change it: `--policy maxpool=after|both`; `both` puts a pair before MaxPool too.
// * Source: TensorRT guide (names MaxPool); Model-Optimizer's copy operators; the definitions (Pad, DepthToSpace,
//   SpaceToDepth); NVIDIA-AI-IOT/yolo_deepstream, yolov7_qat (one scale); [TensorRT
//   2592](https://github.com/NVIDIA/TensorRT/issues/2592) (Pad: it fuses with the Conv behind the pair),
//   [2976](https://github.com/NVIDIA/TensorRT/issues/2976) (Resize: no pair between it and the pair of the Conv).
// * Networks: models/imagenet_squeezenet1.1, models/shapes_unet.

#include <algorithm>

#include "place/draft/flow.h"
#include "place/engines/tensorrt/rules.h"

namespace detent::rules::tensorrt {
namespace {

bool pools(const GraphFacts& facts, NodeId node) { return facts.kind(node) == OpKind::MaxPool; }

void share_commuting_ops(const GraphFacts& facts, PlacementDraft& draft) {
  const bool both = draft.options().maxpool == PlacementOptions::MaxPool::Both;
  for (const Node& node : facts.graph().nodes()) {
    if (facts.kind(node.id) == OpKind::Resize && node.string_or("mode", "nearest") == "nearest")
      draft.keep_float(node.id, 0, "no pair is needed before a nearest Resize: its reader has one");
    if (!commutes(facts, draft, node.id)) continue;
    const MaybeValue input = facts.data_input(node.id);
    if (both && pools(facts, node.id) && facts.may_carry_pair(input) && !pairs_behind(draft, node.output(0)).empty())
      draft.replace_with_pair(node.id, 0, "a pair before MaxPool too, of the same scale (--policy maxpool=both)");
    draft.keep_float(node.id, 0, node.op_type + " commutes with the pair, which stands at the next quantized reader");
  }
  // Values reached from a pair through commuting ops are the same data on the same grid.
  for (const Node& node : facts.graph().nodes()) {
    if (!commutes(facts, draft, node.id)) continue;
    const auto paired = [&](ValueId output) { return draft.has_pair(output); };
    if (std::ranges::none_of(present(node.outputs), paired))
      continue;                                        // so that a long chain is not walked from each node
    const ValueId input = *facts.data_input(node.id);  // a commuting op has one
    std::vector<ValueId> upstream{input};
    for (const Node* above = facts.producer(input); above && commutes(facts, draft, above->id);
         above = facts.producer(upstream.back()))
      upstream.push_back(*facts.data_input(above->id));
    for (const ValueId above : upstream) {
      if (!draft.has_pair(above)) continue;
      for (const ValueId output : present(node.outputs)) {
        if (!paired(output)) continue;
        draft.share_scale(above, output);
        draft.explain_pairs(output, "one scale with the pair before " + facts.describe(node.id));
      }
    }
  }
}

}  // namespace

constinit const Rule kCommutingOps{.name = {"R7", "commuting op"}, .share = share_commuting_ops};

}  // namespace detent::rules::tensorrt
