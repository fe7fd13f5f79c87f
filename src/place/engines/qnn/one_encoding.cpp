// Input and output of a copy share one scale.
//
//   before:   x --> Q/DQ(s) --> Reshape --> Q/DQ(t)          after:   x --> Q/DQ(s) --> Reshape --> Q/DQ(s)
//
// The encoding is calibrated on the merged data of both sides.
//
// * Decides: input and output of Reshape, Transpose, Squeeze, Unsqueeze, Flatten, Expand, Gather, GatherElements, Tile,
//   Slice, Split, Pad with 0, MaxPool and Resize share one scale and zero point. A Clip with a lower bound above 0
//   has one encoding, too.
// * Why: HTP moves their codes without a change; the execution provider overrides nearly equal encodings. Between two
//   encodings HTP drops such a lower bound: 0 comes out of Clip (0.5, 4) (-8 dB for 30; with one encoding 35).
// * Change it: no option.
// * Source: onnxruntime, core/providers/qnn/builder/opbuilder (ProcessDataTypes, OverrideOutputQuantParam).
// * Networks: models/cifar10_resnet18 (MaxPool, Flatten), exports/vit_mini (Transpose).

#include "ops/clip_bounds.h"
#include "place/engines/qnn/qnn_units.h"
#include "place/engines/qnn/rules.h"

namespace detent::rules::qnn {
namespace {

// True for a Clip whose lower bound is above 0.
bool cuts_above_zero(const GraphFacts& facts, const PlacementDraft& draft, const Node& node) {
  if (facts.kind(node.id) != OpKind::Clip || draft.is_out(node.id)) return false;
  const auto bounds = clip_bounds(facts.graph(), node);
  return bounds && bounds->low() > 0;
}

void share_encodings(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    const MaybeValue input = facts.data_input(node.id);
    if (!input || !(has_one_encoding(draft, node.id) || cuts_above_zero(facts, draft, node))) continue;
    for (const ValueId output : present(node.outputs)) draft.share_scale(input, output);
  }
}

}  // namespace

constinit const Rule kOneEncoding{.name = {"H2", "one encoding"}, .share = share_encodings};

}  // namespace detent::rules::qnn
