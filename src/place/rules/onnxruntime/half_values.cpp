//   before:   a --> Q/DQ --> Concat --> Q/DQ --> z           after:   a -----> Concat --> Q/DQ --> z
//             b --> Q/DQ ----^                                        b ---------^
//
// The CPU provider has no integer kernel between FP16 values: pairs there round, layers run in float. A Concat with
// pairs all around it would become a QLinearConcat all the same; that operator knows no FP16 scale, and the engine
// refuses the whole model. So with FP16 scales (--scales fp16) a Concat reads float values.
//
// Source: tried in ONNX Runtime 1.30, CPU, operator by operator. Motivated by models/shapes_unet, FP16.

#include "model/graph/float_types.h"
#include "place/rules/rules.h"

namespace detent::rules::onnxruntime {
namespace {

// The last word, after every_reader: it takes pairs away.
void share(PlacementDraft& draft) {
  const Graph& graph = draft.graph();
  const std::vector<DataType> types = float_types(graph);
  const auto is_half = [&](ValueId value) {
    return value != kNoValue && types[static_cast<size_t>(value)] == DataType::Float16;
  };
  bool kept = false;
  for (const Node& node : graph.nodes()) {
    if (node.outputs.empty() || !is_half(node.output(0))) continue;
    if (draft.is_int8(node.id)) {
      draft.quantize_weight(node.id);
      draft.replace_with_float_layer(node.id, "the CPU provider has no integer kernel between FP16 values");
      kept = true;
    }
    if (draft.kind(node.id) != OpKind::Concat || draft.options().scales != PlacementOptions::Scales::Fp16) continue;
    for (const int slot : draft.data_slots(node.id))
      draft.replace_with_float(node.id, slot,
                               "pairs with FP16 scales around a Concat make the engine refuse the model");
  }
  if (kept) draft.note("the model is FP16: ONNX Runtime runs its layers in INT8 when the FP32 model is quantized");
}

}  // namespace

Rule half_values() { return {.id = RuleId::OnnxRuntimeHalf, .share = share}; }

}  // namespace detent::rules::onnxruntime
