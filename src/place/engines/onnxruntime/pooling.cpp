// Average pooling and MaxPool have pairs on both sides.
//
//   before:   x --> Q/DQ --> AveragePool --> z         after:   x --> Q/DQ(s) --> AveragePool --> Q/DQ(t) --> z
//   before:   x --> Q/DQ --> MaxPool --> z             after:   x --> Q/DQ(s) --> MaxPool --> Q/DQ(s) --> z
//
// MaxPool of codes exists from opset 12 on. Only copies follow the last pooling of a network.
//
// * Decides: AveragePool and GlobalAveragePool have pairs on both sides with free scales, MaxPool with one scale. The
//   last pooling of a network stays float.
// * Why: the engine knows these patterns. ReduceMean and GlobalMaxPool have no integer kernel.
// * Change it: no option.
// * Source: tried.
// * Networks: models/imagenet_squeezenet1.1, models/imagenet_mobilenetv2.

#include "place/draft/decoding.h"
#include "place/engines/onnxruntime/onnxruntime_pairs.h"
#include "place/engines/onnxruntime/rules.h"

namespace detent::rules::onnxruntime {
namespace {

void visit_pooling(const GraphFacts& facts, PlacementDraft& draft, const Node& node) {
  const OpKind kind = facts.kind(node.id);
  const bool averages = kind == OpKind::AveragePool || kind == OpKind::GlobalAveragePool;
  if ((!averages && kind != OpKind::MaxPool) || draft.is_out(node.id) || !draft.has_pair(node.input(0))) return;
  if (is_decoding(draft, node.id)) return;
  const std::string reason = "an integer " + node.op_type + " has pairs on both sides";
  if (!close_with_pair(draft, node.output(0), reason + (averages ? "" : ", of one scale"))) return;
  draft.pair(node.id, 0, reason);
  if (!averages) draft.share_scale(node.input(0), node.output(0));
}

}  // namespace

constinit const Rule kPooling{.name = {"O6", "integer pooling"}, .visit = visit_pooling};

}  // namespace detent::rules::onnxruntime
