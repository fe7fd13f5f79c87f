//   before:   LayerNormalization(x, scale, bias)
//   after:    LayerNormalization(DQ(x), DQ(uint8 scale), DQ(int32 bias))
//
// The scale of LayerNormalization, InstanceNormalization, GroupNormalization, RMSNormalization and of a
// BatchNormalization that could not be folded is written like a weight with one scale, and the bias as INT32 with the
// product of the scales of data and weight.
//
// Source: onnxruntime, core/providers/qnn/builder/opbuilder/{layer_norm,instance_norm}_op_builder.cc and
// qdq_selectors.cc (InstanceAndLayerNormalizationNodeGroupSelector), read in November 2026. Motivated by
// exports/style_mini (InstanceNormalization) and models/chars_gpt.

#include "place/draft/qnn_units.h"
#include "place/rules/rules.h"

namespace detent::rules::qnn {
namespace {

void decide_norms(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    if (!is_unit(facts, draft, node)) continue;
    const std::vector<int> slots = norm_constants(facts, node);
    if (!slots.empty()) draft.quantize_operand(node.id, slots.front(), slots.size() > 1 ? slots.back() : -1);
  }
}

}  // namespace

Rule norms() { return {.id = RuleId::QnnNorm, .decide = decide_norms}; }

}  // namespace detent::rules::qnn
