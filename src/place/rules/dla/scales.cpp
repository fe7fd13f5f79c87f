//   cache:   x: s    MaxPool    y: s            a: s    b: s    Concat    c: s
//
// Every float value of the model has a range, also inside fusions and behind what the GPU runs: TensorRT looks each of
// them up, and a layer without one leaves INT8. Pooling, Concat, Resize, Shuffle, Slice and Reduce have one scale on
// both sides.
//
// Source: NvInfer.h, IPoolingLayer ("the dynamic ranges for input and output tensors must be equal"); the DLA layer
// list; NVIDIA's Q/DQ Translator Toolkit, which writes one entry a tensor. Read in November 2026.

#include "place/draft/dla_support.h"
#include "place/rules/rules.h"
#include "place/targets/dla_layers.h"

namespace detent::rules::dla {
namespace {

void share_copies(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    const DlaLayer* layer = find_dla_layer(node.op_type);
    if (!layer || !layer->copies || draft.is_out(node.id) || !is_dla_candidate(facts, node)) continue;
    for (const int slot : facts.data_slots(node.id))
      for (const ValueId output : present(node.outputs))
        if (facts.is_float(output) && draft.is_pair(node.id, slot)) draft.share_scale(node.input(slot), output);
  }
}

void need_ranges(PlacementDraft& draft) {
  for (const Value& value : draft.facts().graph().values())
    if (draft.facts().is_float(value.id) && !value.is_constant &&
        (value.is_input || value.is_output || (value.producer && !value.uses.empty())))
      draft.need_range(value.id);
}

void share(const GraphFacts& facts, PlacementDraft& draft) {
  share_copies(facts, draft);
  need_ranges(draft);
}

}  // namespace

Rule scales() { return {.id = RuleId::DlaScale, .share = share}; }

}  // namespace detent::rules::dla
