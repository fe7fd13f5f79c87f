// Layers of an FP16 model run in float.
//
//   before:   a --> Q/DQ --> Concat --> Q/DQ --> z           after:   a -----> Concat --> Q/DQ --> z
//             b --> Q/DQ ----^                                        b ---------^
//
// * Decides: layers of an FP16 model are called float, although their weights and activations are quantized. With FP16
//   scales a Concat reads float values, and so does a MaxPool, Reshape, Transpose, Squeeze, Unsqueeze or Slice in front
//   of it.
// * Why: the CPU provider has no integer kernel between FP16 values, and it refuses a QLinearConcat with FP16 scales.
//   It moves pairs across those six. Quantize the FP32 model instead.
// * Change it: `--format scales=fp16|fp32`.
// * Source: tried operator by operator.
// * Networks: models/shapes_unet in FP16, exports/yolo_mini.

#include <fmt/core.h>

#include <set>
#include <vector>

#include "core/float_type.h"
#include "ops/value_types.h"
#include "place/engines/onnxruntime/rules.h"

namespace detent::rules::onnxruntime {
namespace {

constexpr auto kRefused = "pairs with FP16 scales around a Concat make the engine refuse the model";

// Removes pairs from the inputs of the Concats, and further up where the engine would move one down.
void read_float(const GraphFacts& facts, PlacementDraft& draft, const std::vector<NodeId>& concats) {
  std::vector<NodeId> open = concats;
  std::set<NodeId> seen{concats.begin(), concats.end()};
  while (!open.empty()) {
    const Node& node = facts.node(open.back());
    open.pop_back();
    for (const int slot : facts.data_slots(node.id)) {
      draft.replace_with_float(node.id, slot, kRefused);
      const Node* producer = facts.producer(node.input(slot));
      if (producer && facts.lets_pairs_move(producer->id) && seen.insert(producer->id).second)
        open.push_back(producer->id);
    }
  }
}

// Runs after every_reader, because it removes pairs.
void share_half_values(const GraphFacts& facts, PlacementDraft& draft) {
  const Graph& graph = facts.graph();
  const ValueMap<DataType> types = value_types(graph);
  const auto has_half = [&](MaybeValue value) { return value && is_half(types[*value]); };
  bool kept = false;
  std::vector<NodeId> concats;
  for (const Node& node : graph.nodes()) {
    if (!has_half(node.output(0))) continue;
    if (draft.is_int8(node.id)) {
      draft.quantize_weight(node.id);
      draft.replace_with_float_layer(node.id, "the CPU provider has no integer kernel between FP16 values");
      kept = true;
    }
    if (facts.kind(node.id) == OpKind::Concat && draft.options().scales == PlacementOptions::Scales::Fp16)
      concats.push_back(node.id);
  }
  read_float(facts, draft, concats);
  if (kept)
    draft.note(fmt::format("the model is FP16: ONNX Runtime runs its layers in {} when the FP32 model is quantized",
                           draft.codes()));
}

}  // namespace

constinit const Rule kHalfValues{.name = {"O9", "half values"}, .share = share_half_values};

}  // namespace detent::rules::onnxruntime
