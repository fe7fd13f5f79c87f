//   float:    x --> Q(uint16) --> DQ --> Conv --> Q(uint16) --> DQ
//   float:    x --> Q(uint8) --> DQ --> Conv --> Q(uint16) --> DQ
//
// The integer kernels of the CPU provider take 8-bit codes. Between pairs of 16 bits (--activation uint16 or int16, and
// --override with "bits": 16) a layer keeps its DequantizeLinear and runs in float, with the accuracy of the codes.
// The pairs and the INT8 weight stay: the file is for other execution providers of the engine, and the CPU shows its
// scores. The plan reports such layers as float.
//
// Source: tried in ONNX Runtime 1.30, CPU, optimizedModelFilePath; docs/OperatorKernels.md there, QLinearConv. Read in
// November 2026.

#include "place/draft/flow.h"
#include "place/rules/rules.h"

namespace detent::rules::onnxruntime {
namespace {

void keep_float_between_wide(const GraphFacts& facts, PlacementDraft& draft) {
  const auto has_wide_pair = [&](MaybeValue value) { return draft.has_pair(value) && draft.is_wide(value); };
  if (draft.options().type != CodeType::A16W8 && draft.options().wide_values.empty()) return;
  for (const Node& node : facts.graph().nodes()) {
    if (!facts.is_weighted(node.id) || !draft.is_int8(node.id)) continue;
    const MaybeValue data = facts.data_input(node.id);
    const bool wide = draft.options().type == CodeType::A16W8 || has_wide_pair(data) || has_wide_pair(node.output(0)) ||
                      has_wide_pair(fused_output(facts, draft, node.id));
    if (wide)
      draft.run_rounded_float(node.id,
                              "its activations have codes of 16 bits, which no integer kernel of the CPU takes");
  }
}

}  // namespace

Rule wide_activations() { return {.id = RuleId::OnnxRuntimeWide, .share = keep_float_between_wide}; }

}  // namespace detent::rules::onnxruntime
