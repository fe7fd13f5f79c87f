//   before:   Conv --> y --+--> BatchNormalization --> Relu
//                          +--> Concat
//   after:    Conv --> y --+--> Q --> DQ --> BatchNormalization --> Relu
//                          +--> Concat
//
// A BatchNormalization behind Conv, ConvTranspose or Gemm is folded into the weights before any rule runs (TensorRT has
// no fusion for Q/DQ + ConvTranspose + BN). One that cannot be folded gets a pair on its input if an INT8 kernel writes
// it.
//
// Source: github.com/NVIDIA/TensorRT/issues/3412; NVIDIA/TensorRT tools/tensorflow-quantization custom Q/DQ cases;
// NVIDIA Model-Optimizer. Motivated by DenseNet, where BN stands behind a Concat.

#include <algorithm>

#include "place/draft/flow.h"
#include "place/rules/rules.h"

namespace detent::rules::tensorrt {
namespace {

void decide_batch_norm(const GraphFacts& facts, PlacementDraft& draft) {
  const ValueMap<bool> sources = int8_sources(draft);
  for (const Node& node : facts.graph().nodes()) {
    if (facts.kind(node.id) != OpKind::BatchNorm || draft.is_out(node.id)) continue;
    const MaybeValue input = node.input(0);
    if (!facts.may_carry_pair(input)) continue;
    const Node* source = facts.producer(input);
    bool quantized = sources[*input];
    if (source && is_data_concat(facts, draft, source->id))
      quantized = std::ranges::any_of(present(source->inputs), [&](ValueId value) { return sources[value]; });
    if (quantized)
      draft.pair(node.id, 0, "a BatchNormalization that cannot be folded reads the output of an INT8 kernel");
  }
}

}  // namespace

Rule batch_norm() { return {.id = RuleId::BatchNorm, .decide = decide_batch_norm}; }

}  // namespace detent::rules::tensorrt
