//   before:   a --> Q/DQ --> Concat --> z              after:   a --> Q/DQ(s) --> Concat --> Q/DQ(u) --> z
//             b -------------^                                  b --> Q/DQ(t) ----^
//
// A Concat is an integer kernel if every input and the output carry a pair; the scales are free. One quantized input is
// enough reason: the others would be converted anyway.
//
// Source: tried in ONNX Runtime 1.30, CPU. Motivated by models/shapes_unet and models/imagenet_squeezenet1.1.

#include <algorithm>

#include "place/draft/decoding.h"
#include "place/draft/flow.h"
#include "place/draft/onnxruntime_pairs.h"
#include "place/rules/rules.h"

namespace detent::rules::onnxruntime {
namespace {

void visit_concat(const GraphFacts& facts, PlacementDraft& draft, const Node& node) {
  if (!is_data_concat(facts, draft, node.id) || is_decoding(draft, node.id)) return;
  const auto paired = [&](MaybeValue value) { return draft.has_pair(value); };
  const auto fit = [&](MaybeValue value) { return facts.may_carry_pair(value); };
  if (!std::ranges::any_of(node.inputs, paired) || !std::ranges::all_of(node.inputs, fit)) return;
  const std::string reason = "an integer Concat has pairs on all inputs and on its output";
  if (!close_with_pair(draft, node.output(0), reason)) return;
  for (const int slot : facts.data_slots(node.id)) draft.pair(node.id, slot, reason);
}

}  // namespace

Rule concat() { return {.id = RuleId::OnnxRuntimeConcat, .visit = visit_concat}; }

}  // namespace detent::rules::onnxruntime
