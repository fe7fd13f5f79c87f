// The nodes that decode and select a detector's boxes stay float.
//
//   before:   Conv (boxes) --> Q/DQ(s) --> Concat --> Q/DQ(s) --> Mul (strides) --> Q/DQ --> Gather --> output
//             Conv (scores) -> Q/DQ(s) ----^                                      one scale for 0..640 and 0..1
//   after:    Conv (boxes) --> Q/DQ --> Concat --> Mul (strides) --> Gather --> output
//             Conv (scores) -> Q/DQ ----^
//   DFL:      Softmax --> Conv (0, 1, ..., 15) --> box                      both stay float
//
// Errors of sampling places move whole features. The layer that takes the expected value of a distribution (DFL) has no
// more MACs than its Softmax has elements, and INT8 would round a box to a 127th of its range.
//
// * Decides: nodes behind the last weighted layer that move, decode or select numbers stay float: Concat of boxes and
//   scores, anchors, strides, TopK, Gather, Sigmoid. The nodes that compute sampling places in front of GridSample and
//   DeformConv stay float too, and a layer that takes the expected value of a Softmax (the fixed Conv of DFL). The pair
//   that ONNX Runtime needs behind an integer layer stays.
// * Why: one scale for boxes up to 320 and scores up to 1 leaves scores one or two codes, and an integer kernel gains
//   nothing there. ONNX Runtime: a network that joins boxes and scores and selects rows has mAP .620 instead of .365
//   (FP32 .630), a DFL head .620 instead of .602 (FP32 .628).
// * Change it: `--include`, `--policy include-op`.
// * Source: ours, measured on models/bccd_nmsfree and bccd_dfl, 72 images.
// * Networks: models/bccd_nmsfree, models/bccd_dfl.

#include "place/draft/decoding.h"

#include <fmt/core.h>

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
      draft.keep_float(node.id, slot,
                       fmt::format("behind the last weighted layer nothing gains from {}", draft.codes()));
  }
}

}  // namespace

constinit const Rule kDecoding{.name = {"R18", "decoding"}, .mark = mark_expected_values, .visit = visit_decoding};

}  // namespace detent::rules
