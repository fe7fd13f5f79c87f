//   Softmax --> Q/DQ     range fixed to [0, 1]              Clip(0, 6) --> Q/DQ     measured range cut to [0, 6]
//
// Some ranges are known before any sample is seen. A Softmax writes [0, 1] whatever the calibration images say. A Clip
// or Sigmoid bounds its output, so a range that a calibrator rounds up to a bin edge is cut back: ONNX Runtime absorbs
// a Clip only where the range of the pair lies inside it.
//
// Source: tried in ONNX Runtime 1.30, CPU (Clip); the definitions. Motivated by models/imagenet_mobilenetv2.

#include <algorithm>
#include <limits>

#include "place/integer_flow.h"
#include "place/rules/rules.h"

namespace detent::rules {
namespace {

void share(PlacementDraft& draft) {
  for (const Node& node : draft.graph().nodes()) {
    const ValueId output = node.output(0);
    if (output == kNoValue || !draft.is_float(output)) continue;
    const OpKind kind = draft.kind(node.id);
    Range bounds;
    if (kind == OpKind::Softmax) draft.fix_range(output, {0.0F, 1.0F});
    if (kind == OpKind::Sigmoid || kind == OpKind::HardSigmoid) draft.limit_range(output, {0.0F, 1.0F});
    if (kind == OpKind::Clip && clip_bounds(draft, node.id, bounds) && bounds.min <= 0.0F && bounds.max >= 0.0F)
      draft.limit_range(output, {std::max(bounds.min, std::numeric_limits<float>::lowest()),
                                 std::min(bounds.max, std::numeric_limits<float>::max())});
  }
}

}  // namespace

Rule known_ranges() { return {.name = "known range", .source = "ONNX operator definitions", .share = share}; }

}  // namespace detent::rules
