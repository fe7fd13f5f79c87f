//   before:   x --> Q/DQ --> Flatten --> z              after:   x --> Q/DQ(s) --> Flatten --> Q/DQ(s) --> z
//
// ONNX Runtime moves codes instead of floats (Reshape, Transpose, Slice, Split, Gather, DepthToSpace, nearest Resize
// ...) between two pairs of one scale.
//
// Source: tried in ONNX Runtime 1.30, CPU. Motivated by models/imagenet_mobilenetv2 (pooling, Reshape, Gemm).

#include <algorithm>

#include "place/draft/flow.h"
#include "place/draft/onnxruntime_pairs.h"
#include "place/rules/rules.h"

namespace detent::rules::onnxruntime {
namespace {

bool is_copy(const PlacementDraft& draft, const Node& node) {
  const OpKind kind = draft.kind(node.id);
  if (kind == OpKind::Resize) return !draft.is_out(node.id) && node.string_or("mode", "nearest") == "nearest";
  // MaxPool is pooling's; Pad is a float kernel unless a Conv takes it in.
  return kind != OpKind::MaxPool && kind != OpKind::Pad && commutes(draft, node.id);
}

void visit_copies(PlacementDraft& draft, const Node& node) {
  if (!is_copy(draft, node)) return;
  const ValueId input = draft.data_input(node.id);
  if (input == kNoValue || !draft.has_pair(input) || ends_in_float(draft, node.id)) return;
  const auto closes = [&](ValueId output) { return output == kNoValue || obstacle_to_closing(draft, output).empty(); };
  if (!std::all_of(node.outputs.begin(), node.outputs.end(), closes)) return;
  const std::string reason = "an integer " + node.op_type + " has pairs of one scale on both sides";
  draft.pair(node.id, 0, reason);
  for (const ValueId output : node.outputs) {
    if (output == kNoValue) continue;
    close_with_pair(draft, output, reason);
    draft.share_scale(input, output);
  }
}

}  // namespace

Rule copies() { return {.id = RuleId::OnnxRuntimeCopy, .visit = visit_copies}; }

}  // namespace detent::rules::onnxruntime
