//   before:   Conv --> y (graph output)      default: the same      --quantize-outputs:   Conv --> Q --> DQ --> y
//
// No pair on graph outputs by default, also where R6 would put one: their readers expect full precision. With
// `--quantize-outputs` an output that an INT8 kernel writes gets one; harmless, and useful for INT8 outputs.
//
// Source: NVIDIA Model-Optimizer; github.com/NVIDIA/TensorRT/issues/2383. Motivated by models/shapes_unet (head).

#include "place/draft/flow.h"
#include "place/rules/rules.h"

namespace detent::rules::tensorrt {
namespace {

void decide_graph_outputs(const GraphFacts& facts, PlacementDraft& draft) {
  if (!draft.options().quantize_outputs) return;
  const ValueMap<bool> sources = int8_sources(draft);
  for (const ValueId output : facts.graph().outputs())
    if (sources[output] && facts.may_carry_pair(output))
      draft.pair_output(output, "an INT8 kernel writes this graph output (--quantize-outputs)");
}

}  // namespace

Rule graph_outputs() { return {.id = RuleId::GraphOutput, .decide = decide_graph_outputs}; }

}  // namespace detent::rules::tensorrt
