//   before:   Conv (boxes) --> Q/DQ(s) --> Concat --> Q/DQ(s) --> Mul (strides) --> Q/DQ --> Gather --> output
//             Conv (scores) -> Q/DQ(s) ----^                                      one scale for 0..640 and 0..1
//   after:    Conv (boxes) --> Q/DQ --> Concat --> Mul (strides) --> Gather --> output
//             Conv (scores) -> Q/DQ ----^
//   DFL:      Softmax --> Conv (0, 1, ..., 15) --> box                      both stay float
//
// Behind the last weighted layer a network moves, decodes and selects: anchors, strides, Concat of boxes and scores,
// TopK, Gather. Integer kernels gain next to nothing there, and one scale for boxes in pixels and scores leaves scores
// one code. The same holds for the arithmetic of sampling places in front of GridSample and DeformConv, whose errors
// move whole features. A pair that an integer layer in front needs stays. The layer that takes the expected value of a
// distribution (DFL) has no more MACs than its Softmax has elements; INT8 would round a box to a 127th of its range.
//
// Source: ours, measured on models/bccd_nmsfree (ONNX Runtime: mAP .375 -> .620, FP32 .630) and models/bccd_dfl (.595
// -> .618, FP32 .628).

#include "place/draft/decoding.h"

#include "place/rules/rules.h"

namespace detent::rules {
namespace {

void mark_expected_values(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes())
    if (!draft.is_forced(node.id) && takes_expected_value(facts, draft, node))
      draft.keep_out(node.id, "expected value of a Softmax, a part of the decoding");
}

// Explains what no rule has decided.
void visit_decoding(const GraphFacts& facts, PlacementDraft& draft, const Node& node) {
  if (draft.is_out(node.id) || facts.is_weighted(node.id) || !is_decoding(draft, node.id)) return;
  for (const int slot : facts.data_slots(node.id)) {
    const MaybeValue input = node.input(slot);
    if (input && facts.is_float(input) && !facts.is_constant(input) && !draft.has_pair(input))
      draft.keep_float(node.id, slot, "behind the last weighted layer nothing gains from INT8");
  }
}

}  // namespace

Rule decoding() { return {.id = RuleId::Decoding, .mark = mark_expected_values, .visit = visit_decoding}; }

}  // namespace detent::rules
