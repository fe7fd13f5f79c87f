//   before:   x --> Q/DQ(s) --> Reshape --> Q/DQ(t)          after:   x --> Q/DQ(s) --> Reshape --> Q/DQ(s)
//
// HTP moves codes through Reshape, Transpose, Squeeze, Unsqueeze, Flatten, Expand, Gather, GatherElements, Tile, Slice,
// Split, MaxPool and Resize without a change: the encodings of input and output are one, calibrated on their merged
// data. The execution provider overrides nearly equal ones and refuses others.
//
// Source: onnxruntime, core/providers/qnn/builder/opbuilder/*.cc (ProcessDataTypes, OverrideOutputQuantParam), read in
// November 2026. Motivated by models/cifar10_resnet18 (MaxPool, Flatten) and exports/vit_mini (Transpose).

#include "place/draft/qnn_units.h"
#include "place/rules/rules.h"

namespace detent::rules::qnn {
namespace {

void share_encodings(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    const MaybeValue input = facts.data_input(node.id);
    if (!input || !has_one_encoding(draft, node.id)) continue;
    for (const ValueId output : present(node.outputs)) draft.share_scale(input, output);
  }
}

}  // namespace

Rule one_encoding() { return {.id = RuleId::QnnOneEncoding, .share = share_encodings}; }

}  // namespace detent::rules::qnn
