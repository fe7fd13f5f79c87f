//   before:   x --> Q/DQ(s) --> Reshape --> Q/DQ(t)          after:   x --> Q/DQ(s) --> Reshape --> Q/DQ(s)
//
// HTP moves codes through Reshape, Transpose, Squeeze, Unsqueeze, Flatten, Expand, Gather, GatherElements, Tile, Slice,
// Split, MaxPool and Resize without a change: the encodings of input and output are one, calibrated on their merged
// data. The execution provider overrides nearly equal ones and refuses others.
//
// Source: onnxruntime, core/providers/qnn/builder/opbuilder/*.cc (ProcessDataTypes, OverrideOutputQuantParam), read in
// November 2026. Motivated by models/cifar10_resnet18 (MaxPool, Flatten) and exports/vit_mini (Transpose).

#include "place/engines/qnn/qnn_units.h"
#include "place/engines/qnn/rules.h"

namespace detent::rules::qnn {
namespace {

void share_encodings(PlacementDraft& draft) {
  for (const Node& node : draft.graph().nodes()) {
    const MaybeValue input = draft.data_input(node.id);
    if (!input || !has_one_encoding(draft, node.id)) continue;
    for (const ValueId output : present(node.outputs)) draft.share_scale(input, output);
  }
}

}  // namespace

constinit const Rule kOneEncoding{.name = {"H2", "one encoding", kQnnBuilders}, .share = share_encodings};

}  // namespace detent::rules::qnn
