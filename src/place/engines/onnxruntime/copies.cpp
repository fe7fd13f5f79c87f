// An operator that only moves data has pairs of one scale on both sides.
//
//   before:   x --> Q/DQ --> Flatten --> z              after:   x --> Q/DQ(s) --> Flatten --> Q/DQ(s) --> z
//
// * Decides: an op that only moves data (Reshape, Transpose, Slice, Split, Gather, DepthToSpace, nearest Resize ...)
//   has pairs of one scale on both sides. SpaceToDepth, GatherND, Pad and a Split with an unread output get no pair
//   behind them; if two pairs stand around them all the same, these share one scale.
// * Why: codes can then be moved unchanged. These four have no integer kernel; with one scale no value is rounded
//   twice.
// * Change it: no option.
// * Source: tried.
// * Networks: models/imagenet_mobilenetv2 (pooling, Reshape, Gemm).

#include <algorithm>

#include "place/draft/decoding.h"
#include "place/draft/flow.h"
#include "place/engines/onnxruntime/onnxruntime_pairs.h"
#include "place/engines/onnxruntime/rules.h"

namespace detent::rules::onnxruntime {
namespace {

bool is_nearest_resize(const PlacementDraft& draft, const Node& node) {
  return draft.facts().kind(node.id) == OpKind::Resize && !draft.is_out(node.id) &&
         node.string_or("mode", "nearest") == "nearest";
}

// True for operators that move codes. The pooling rule handles MaxPool; Pad is a float kernel unless a Conv includes
// it.
bool moves_codes(const PlacementDraft& draft, const Node& node) {
  switch (draft.facts().kind(node.id)) {
    case OpKind::Resize: return is_nearest_resize(draft, node);
    case OpKind::MaxPool:
    case OpKind::Pad:
    case OpKind::SpaceToDepth:
    case OpKind::GatherND: return false;
    default: return commutes(draft.facts(), draft, node.id);
  }
}

void visit_copies(const GraphFacts& facts, PlacementDraft& draft, const Node& node) {
  if (!moves_codes(draft, node)) return;
  const MaybeValue input = facts.data_input(node.id);
  if (!input || !draft.has_pair(input) || is_decoding(draft, node.id)) return;
  const auto closes = [&](ValueId output) { return obstacle_to_closing(facts, draft, output).empty(); };
  if (!std::ranges::all_of(present(node.outputs), closes)) return;
  const std::string reason = "an integer " + node.op_type + " has pairs of one scale on both sides";
  draft.pair(node.id, 0, reason);
  for (const ValueId output : present(node.outputs)) close_with_pair(draft, output, reason);
}

void share_copies(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    if (!commutes(facts, draft, node.id) && !is_nearest_resize(draft, node)) continue;
    if (!draft.is_pair(node.id, facts.data_slots(node.id).front())) continue;
    for (const ValueId output : present(node.outputs))
      if (draft.has_pair(output)) draft.share_scale(facts.data_input(node.id), output);
  }
}

}  // namespace

constinit const Rule kCopies{.name = {"O7", "integer copy"}, .visit = visit_copies, .share = share_copies};

}  // namespace detent::rules::onnxruntime
