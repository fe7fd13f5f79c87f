// A Concat has pairs on all inputs and on its output.
//
//   before:   a --> Q/DQ --> Concat --> z              after:   a --> Q/DQ(s) --> Concat --> Q/DQ(u) --> z
//             b -------------^                                  b --> Q/DQ(t) ----^
//
// One quantized input is reason enough: the engine would convert the others in any case.
//
// * Decides: a Concat with one quantized input has pairs on all inputs and on its output. The scales are free.
// * Why: QLinearConcat needs all of them.
// * Change it: no option.
// * Source: tried.
// * Networks: models/shapes_unet, models/imagenet_squeezenet1.1.

#include <algorithm>

#include "place/draft/decoding.h"
#include "place/draft/flow.h"
#include "place/engines/onnxruntime/onnxruntime_pairs.h"
#include "place/engines/onnxruntime/rules.h"

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

constinit const Rule kConcat{.name = {"O5", "integer concat"}, .visit = visit_concat};

}  // namespace detent::rules::onnxruntime
