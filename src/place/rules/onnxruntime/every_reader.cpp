//   before:   Conv --+--> Q --> DQ --> Conv              after:   Conv --> Q --> DQ --+--> Conv
//                    +--> Tanh                                                        +--> Tanh
//
// A second, float reader next to the Q keeps the producer a float kernel. All readers of a value with a pair therefore
// read the DQ, float ops too, except nodes that the user excludes. Behind a float producer (a Sigmoid of boxes, a
// LayerNormalization, the graph's input) nothing is won: its other readers keep the float value.
//
// Source: tried in ONNX Runtime 1.30, CPU. Motivated by models/cifar10_efficientnet_b0 (ReduceMean next to Mul).

#include "place/draft/flow.h"
#include "place/draft/onnxruntime_pairs.h"
#include "place/rules/rules.h"

namespace detent::rules::onnxruntime {
namespace {

void share_every_reader(const GraphFacts& facts, PlacementDraft& draft) {
  const ValueMap<bool> by_integers = int8_sources(draft);
  for (const Value& value : facts.graph().values()) {
    if (value.is_constant || !draft.has_pair(value.id) || !by_integers[value.id]) continue;
    for (const Use& use : value.uses) {
      if (use.slot < 0 || draft.is_pair(use.node, use.slot) || must_read_float(draft, use.node) ||
          facts.moves_pairs_into_subgraph(use.node))
        continue;
      draft.replace_with_pair(
          use.node, use.slot,
          "a float reader next to the pair would keep " + facts.describe_source(value.id) + " a float kernel");
    }
  }
}

}  // namespace

Rule every_reader() { return {.id = RuleId::OnnxRuntimeReaders, .share = share_every_reader}; }

}  // namespace detent::rules::onnxruntime
