// Input and output of a copy share one scale.
//
//   before:   x --> Q/DQ(s) --> Reshape --> Q/DQ(t)          after:   x --> Q/DQ(s) --> Reshape --> Q/DQ(s)
//
// The encoding is calibrated on the merged data of both sides.
//
// * Decides: input and output of Reshape, Transpose, Squeeze, Unsqueeze, Flatten, Expand, Gather, GatherElements, Tile,
//   Slice, Split, Pad with 0, MaxPool and Resize share one scale and zero point. Input and output of a Clip share it
//   where the Clip alone reads the input, which is then measured within the Clip's bounds.
// * Why: HTP moves their codes without a change; the execution provider overrides nearly equal encodings. A Conv and
//   the Clip behind it become one operator, which rounds once, to the encoding of the Clip (1 to 2.6 dB).
// * Change it: no option.
// * Source: onnxruntime, core/providers/qnn/builder/opbuilder (ProcessDataTypes, OverrideOutputQuantParam).
// * Networks: models/cifar10_resnet18 (MaxPool, Flatten), exports/vit_mini (Transpose).

#include "place/engines/qnn/qnn_units.h"
#include "place/engines/qnn/rules.h"
#include "place/rules/clip_limits.h"

namespace detent::rules::qnn {
namespace {

// Limits of a Clip that alone reads its input.
std::optional<Range> own_limits(const GraphFacts& facts, const PlacementDraft& draft, const Node& node) {
  if (draft.is_out(node.id) || !node.input(0)) return std::nullopt;
  const Value& input = facts.value(*node.input(0));
  return input.is_output || input.uses.size() != 1 ? std::nullopt : clip_limits(facts, node);
}

void share_encodings(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    const MaybeValue input = facts.data_input(node.id);
    if (!input) continue;
    const std::optional<Range> limits = own_limits(facts, draft, node);
    if (!limits && !has_one_encoding(draft, node.id)) continue;
    if (limits) draft.limit_range(*input, *limits);
    for (const ValueId output : present(node.outputs)) draft.share_scale(input, output);
  }
}

}  // namespace

constinit const Rule kOneEncoding{.name = {"H2", "one encoding"}, .share = share_encodings};

}  // namespace detent::rules::qnn
