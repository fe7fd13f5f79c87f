//   before:   x --> Q/DQ --> AveragePool --> z         after:   x --> Q/DQ(s) --> AveragePool --> Q/DQ(t) --> z
//   before:   x --> Q/DQ --> MaxPool --> z             after:   x --> Q/DQ(s) --> MaxPool --> Q/DQ(s) --> z
//
// Pooling is an integer kernel with pairs on both sides: of free scales for averages, of one scale for MaxPool (opset
// 12 on). ReduceMean and GlobalMaxPool stay float, and so does the last pooling of a network: only copies follow it.
//
// Source: tried in ONNX Runtime 1.30, CPU. Motivated by models/imagenet_squeezenet1.1 and models/imagenet_mobilenetv2.

#include "place/draft/decoding.h"
#include "place/draft/onnxruntime_pairs.h"
#include "place/rules/rules.h"

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

Rule pooling() { return {.id = RuleId::OnnxRuntimePooling, .visit = visit_pooling}; }

}  // namespace detent::rules::onnxruntime
