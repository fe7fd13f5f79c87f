//   before:   Q/DQ --> MatMul --> Clip(-1, 3) --> Q/DQ      after:   Q/DQ --> MatMul --> Q/DQ --> Clip(-1, 3) --> Q/DQ
//
// ONNX Runtime compares a Clip with the pair behind it twice. If the bounds round to the lowest and the highest code,
// the operator before it becomes an integer kernel; the Clip is removed only if the range of the pair lies inside its
// bounds. If the range ends beyond them by less than half a step, as the rounding of the zero point may leave it, the
// engine calls the model invalid. A pair before the Clip closes the kernel instead. Clip(0, b) needs none: its zero
// point is exact, and the range ends inside (known_ranges).
//
// Source: tried in ONNX Runtime 1.30, CPU, 18 operators (tests/onnxruntime/absorbed_activations_test.py).

#include <algorithm>

#include "ops/clip_bounds.h"
#include "place/draft/flow.h"
#include "place/engines/onnxruntime/onnxruntime_pairs.h"
#include "place/engines/onnxruntime/rules.h"

namespace detent::rules::onnxruntime {
namespace {

// True when the engine makes an integer kernel of the node if a pair stands behind it, or seems to.
bool becomes_integer(const GraphFacts& facts, const PlacementDraft& draft, NodeId node) {
  if (facts.is_weighted(node)) return draft.is_int8(node);
  const auto reads_pair = [&](int slot) { return draft.is_pair(node, slot); };
  return has_integer_kernel(facts.kind(node)) && std::ranges::all_of(facts.data_slots(node), reads_pair);
}

bool is_bias_of_integer_product(const PlacementDraft& draft, const Node& add) {
  return std::ranges::any_of(present(add.inputs), [&](ValueId input) {
    const Node* product = draft.facts().producer(input);
    const std::optional<Use> bias = product ? draft.added_bias(product->id) : std::nullopt;
    return bias && bias->node == add.id && draft.is_int8(product->id);
  });
}

void close_in_front(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& clip : facts.graph().nodes()) {
    if (facts.kind(clip.id) != OpKind::Clip || draft.is_out(clip.id) || draft.is_pair(clip.id, 0)) continue;
    const MaybeValue own = clip.input(0);
    const Node* producer = facts.producer(own);
    if (!producer || !sole_use(facts.graph(), own) || !draft.has_pair(clip.output(0))) continue;
    if (!clip_bounds(facts.graph(), clip)) continue;  // computed at run time: the engine keeps it
    if (absorbed_output(facts, draft, own, Absorbs::ReluAndClip) != own) continue;
    if (becomes_integer(facts, draft, producer->id) || is_bias_of_integer_product(draft, *producer))
      draft.replace_with_pair(clip.id, 0,
                              "without it the engine may count " + facts.describe(clip.id) +
                                  " as absorbed, and refuse the model if the range behind ends beyond its bounds");
  }
}

}  // namespace

const Rule kPartlyAbsorbedClips{.name = kLayers.name, .share = close_in_front};

}  // namespace detent::rules::onnxruntime
