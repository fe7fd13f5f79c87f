// Every value has a range; pooling, Concat and copies have one on both sides.
//
//   cache:   x: s    MaxPool    y: s            a: s    b: s    Concat    c: s
//
// * Decides: every float value gets a range, also inside fusions and on the GPU. Pooling, Concat, Resize, Shuffle,
//   Slice and Reduce in INT8 have one scale on both sides.
// * Why: TensorRT looks up each value; a layer without a scale leaves INT8.
// * Change it: `--override` sets a range.
// * Source: `NvInfer.h`, IPoolingLayer ("the dynamic ranges for input and output tensors must be equal"); the layers of
//   D1; NVIDIA's Q/DQ Translator Toolkit, which writes one entry a tensor.

#include "place/engines/dla/dla_layers.h"
#include "place/engines/dla/dla_support.h"
#include "place/engines/dla/rules.h"

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

constinit const Rule kScales{.name = {"D2", "DLA scale"}, .share = share};

}  // namespace detent::rules::dla
