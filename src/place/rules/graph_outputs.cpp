// A graph output carries no pair.
//
//   before:   Conv --> y (graph output)      default: the same      quantize-outputs=on:   Conv --> Q --> DQ --> y
//
// R6 asks for no pair there either. With `--policy quantize-outputs=on` an output gets one if an INT8 kernel writes it.
//
// * Decides: a graph output carries no pair.
// * Why: readers outside the model want full precision.
// * Change it: `--policy quantize-outputs=on`. It also lets ONNX Runtime run a last Conv in INT8, which needs a pair
//   behind it (O1).
// * Source: Model-Optimizer; [TensorRT 2383](https://github.com/NVIDIA/TensorRT/issues/2383).
// * Networks: models/shapes_unet (head).

#include <fmt/core.h>

#include "place/draft/flow.h"
#include "place/rules/rules.h"

namespace detent::rules {
namespace {

void decide_graph_outputs(const GraphFacts& facts, PlacementDraft& draft) {
  if (!draft.options().quantize_outputs) return;
  const ValueMap<bool> sources = int8_sources(draft);
  for (const ValueId output : facts.graph().outputs())
    if (sources[output] && facts.may_carry_pair(output))
      draft.pair_output(
          output, fmt::format("an {} kernel writes this graph output (--policy quantize-outputs=on)", draft.codes()));
}

}  // namespace

constinit const Rule kGraphOutputs{.name = {"R11", "graph output"}, .decide = decide_graph_outputs};

}  // namespace detent::rules
