//   before:   a --+--> MaxPool --> Conv               after:   a --+--> MaxPool --> Q/DQ(s) --> Conv
//                 +--> Concat --> Conv                             +--> Concat --> Q/DQ(s) --> Conv
//             b -------^                                       b -------^
//
// Where a Concat's output, through commuting ops, feeds a quantized op, one pair stands behind it and every pair on one
// of its inputs, or reached from one through commuting ops in either direction, takes the same scale. Inputs without a
// pair get none: TensorRT clones the Q into each producer. Overlapping sets merge. Unequal scales would force a
// requantization.
//
// Source: github.com/NVIDIA/TensorRT/issues/2597 (the log shows the cloned Q); NVIDIA Model-Optimizer concat
// elimination; NVIDIA-AI-IOT/yolo_deepstream yolov7_qat (180 -> 207 images/s from equal scales); .../issues/4366 for
// the notes. Motivated by models/shapes_unet.

#include "place/draft/flow.h"
#include "place/rules/rules.h"

namespace detent::rules::tensorrt {
namespace {

using Policy = PlacementOptions::Concat;

std::vector<NodeId> quantized_concats(const PlacementDraft& draft) {
  std::vector<NodeId> found;
  for (const Node& node : draft.graph().nodes())
    if (is_data_concat(draft, node.id) && !pairs_behind(draft, node.output(0)).empty()) found.push_back(node.id);
  return found;
}

// The explicit form, for engines that do not clone the Q.
void pair_inputs(PlacementDraft& draft, NodeId concat) {
  for (const int slot : draft.data_slots(concat)) {
    if (draft.may_carry_pair(draft.graph().node(concat).inputs[static_cast<size_t>(slot)]))
      draft.replace_with_pair(concat, slot, "every input of the Concat carries the shared scale (--concat inputs)");
  }
}

void name_float_inputs(PlacementDraft& draft, NodeId concat, const std::vector<bool>& sources) {
  for (const int slot : draft.data_slots(concat)) {
    const ValueId input = draft.graph().node(concat).inputs[static_cast<size_t>(slot)];
    if (!sources[static_cast<size_t>(input)])
      draft.note(draft.describe(concat) + ": input " + std::to_string(slot) + " comes from " +
                 draft.describe_source(input) +
                 ", which does not run in INT8; the quantization moves in front of the Concat");
  }
}

void tie(PlacementDraft& draft, NodeId concat) {
  const Node& node = draft.graph().node(concat);
  const ValueId output = node.output(0);
  for (const ValueId value : pairs_behind(draft, output)) {
    draft.share_scale(output, value);
    draft.explain_pairs(value, "one scale with the inputs of " + draft.describe(concat));
  }
  for (const int slot : draft.data_slots(concat)) {
    const ValueId input = node.inputs[static_cast<size_t>(slot)];
    draft.share_scale(output, input);
    for (const ValueId value : commuting_neighbours(draft, input)) {
      if (!draft.has_pair(value)) continue;
      draft.share_scale(output, value);
      draft.explain_pairs(value, "one scale with " + draft.describe(concat));
    }
  }
}

void share(PlacementDraft& draft) {
  const std::vector<NodeId> concats = quantized_concats(draft);
  const std::vector<bool> sources = int8_sources(draft);
  for (const NodeId concat : concats) {
    for (const int slot : draft.data_slots(concat))
      draft.keep_float(concat, slot, "TensorRT clones the Q behind the Concat into each producer");
    if (draft.options().concat == Policy::Inputs) pair_inputs(draft, concat);
    name_float_inputs(draft, concat, sources);
  }
  if (draft.options().concat == Policy::Independent) return;
  for (const NodeId concat : concats) tie(draft, concat);
}

}  // namespace

Rule concat() { return {.id = RuleId::Concat, .share = share}; }

}  // namespace detent::rules::tensorrt
