// A BatchNormalization is folded into the weights.
//
//   before:   Conv --> y --+--> BatchNormalization --> Relu
//                          +--> Concat
//   after:    Conv --> y --+--> Q --> DQ --> BatchNormalization --> Relu
//                          +--> Concat
//
// * Decides: a BatchNormalization behind Conv, ConvTranspose or Gemm is folded into the weights before any other rule.
//   Add, Sub, Mul and Div by constants are, too, one number a channel or one for all; one number stays in front of
//   Clip, Sigmoid, MatMul and others that make a pattern with it, and of a graph output. Transposes that
//   cancel out go first. A BatchNormalization that cannot be folded reads a pair where INT8 comes in, also behind a
//   residual Add (R4) or an average pooling. In a file with pairs, as quantization-aware training exports it, one
//   behind a Conv is part of that layer.
// * Why: TensorRT has no fusion for pair + ConvTranspose + BatchNormalization, which is what exporters leave.
// * Change it: no option.
// * Source: [TensorRT 3412](https://github.com/NVIDIA/TensorRT/issues/3412); NVIDIA/TensorRT,
//   tools/tensorflow-quantization (custom Q/DQ cases); Model-Optimizer.
// * Networks: DenseNet, whose BatchNormalization stands behind a Concat; pre-activation ResNets, IResNet.

#include <fmt/core.h>

#include <algorithm>

#include "place/draft/flow.h"
#include "place/rules/rules.h"

namespace detent::rules {
namespace {

// Returns the value that an average pooling reads, which becomes INT8 with its readers; another value as it is.
ValueId before_pooling(const GraphFacts& facts, ValueId value) {
  const Node* node = facts.producer(value);
  const bool pools = node && facts.kind(node->id) == OpKind::AveragePool;
  return pools ? *node->input(0) : value;
}

void decide_batch_norm(const GraphFacts& facts, PlacementDraft& draft) {
  const ValueMap<bool> sources = int8_sources(draft);
  for (const Node& node : facts.graph().nodes()) {
    if (facts.kind(node.id) != OpKind::BatchNorm || draft.is_out(node.id)) continue;
    const MaybeValue input = node.input(0);
    if (!facts.may_carry_pair(input)) continue;
    if (const MaybeNode layer = layer_of_norm(facts, node.id); layer && draft.is_int8(*layer)) {
      draft.keep_float(node.id, 0, "part of " + facts.describe(*layer) + "; a pair between would split its kernel");
      continue;
    }
    const Node* source = facts.producer(input);
    const auto from_int8 = [&](ValueId value) { return sources[value] || sources[before_pooling(facts, value)]; };
    const bool joins = source && is_data_concat(facts, draft, source->id);
    if (joins ? std::ranges::any_of(present(source->inputs), from_int8) : from_int8(*input))
      draft.pair(
          node.id, 0,
          fmt::format("a BatchNormalization that cannot be folded reads the output of an {} kernel", draft.codes()));
  }
}

}  // namespace

constinit const Rule kBatchNorm{.name = {"R3", "batch norm"}, .decide = decide_batch_norm};

}  // namespace detent::rules
