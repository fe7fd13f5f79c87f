// The factor of a norm is quantized, its bias is INT32. The slopes of a PRelu are quantized, too.
//
//   before:   LayerNormalization(x, scale, bias)
//   after:    LayerNormalization(DQ(x), DQ(uint8 scale), DQ(int32 bias))
//
// The scale of the bias is the product of those of data and factor.
//
// * Decides: the constant factor of LayerNormalization, InstanceNormalization, GroupNormalization, RMSNormalization and
//   of a BatchNormalization that was not folded is written as UINT8 with one scale, the bias as INT32. The constant
//   slopes of a PRelu are written as UINT8 with one scale.
// * Why: their units read codes on every input. With float slopes HTP runs the PRelu in floats, and the codes that a
//   Conv hands to it are 2 dB worse.
// * Change it: no option.
// * Source: onnxruntime, qdq_selectors.cc, InstanceAndLayerNormalizationNodeGroupSelector;
//   core/providers/qnn/builder/opbuilder/{layer_norm,instance_norm}_op_builder.cc; AIMET.
// * Networks: exports/style_mini (InstanceNormalization), models/chars_gpt.

#include "place/engines/qnn/qnn_units.h"
#include "place/engines/qnn/rules.h"

namespace detent::rules::qnn {
namespace {

void decide_norms(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    if (!is_unit(facts, draft, node)) continue;
    const std::vector<int> slots = coded_constants(facts, node);
    if (!slots.empty())
      draft.quantize_operand(node.id, {.slot = slots.front(), .bias = slots.size() > 1 ? slots.back() : -1});
  }
}

}  // namespace

constinit const Rule kNorms{.name = {"H4", "norm"}, .decide = decide_norms};

}  // namespace detent::rules::qnn
