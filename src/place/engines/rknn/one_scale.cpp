// Input and output of a copy share one scale.
//
//   before:   x --> Q/DQ(s) --> Reshape --> Q/DQ(t)          after:   x --> Q/DQ(s) --> Reshape --> Q/DQ(s)
//
// The scale is calibrated on the merged data of both sides.
//
// * Decides: input and output of Reshape, Transpose, Squeeze, Unsqueeze, Flatten, Expand, Gather, Tile, Slice, Split,
//   Pad with 0, MaxPool, AveragePool and Resize share one scale and zero point.
// * Why: the NPU moves their codes without a change, and averages codes in the scale of the input, whatever the file
// says.
// * Change it: no option.
// * Source: rknn-toolkit2 2.5.0, asked in November 2026.
// * Networks: models/cifar10_resnet18, models/shapes_unet.

#include "place/engines/qnn/qnn_units.h"
#include "place/engines/rknn/rules.h"
#include "place/rules/clip_limits.h"

namespace detent::rules::rknn {
namespace {

// True for a pooling whose output the NPU writes with the scale of its input.
bool averages_codes(const GraphFacts& facts, const Node& node) {
  const OpKind kind = facts.kind(node.id);
  return kind == OpKind::AveragePool || kind == OpKind::GlobalAveragePool;
}

void share_scales(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    const MaybeValue input = facts.data_input(node.id);
    if (!input || !(has_one_encoding(draft, node.id) || averages_codes(facts, node))) continue;
    for (const ValueId output : present(node.outputs)) draft.share_scale(input, output);
  }
}

}  // namespace

constinit const Rule kOneScale{.name = {"K2", "one scale"}, .share = share_scales};

}  // namespace detent::rules::rknn
