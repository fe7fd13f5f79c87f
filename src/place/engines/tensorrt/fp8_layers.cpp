// With `--type fp8` only Conv, Gemm, MatMul and residual Adds are quantized.
//
//   before:   Conv --> Relu --> GlobalAveragePool --> Conv      after, FP8:   nothing before the pooling,
//             Conv --> ConvTranspose --> Conv                                 nor around the ConvTranspose
//
// * Decides: with `--type fp8` only Conv, Gemm, MatMul and residual Adds read pairs. A ConvTranspose stays float with
//   its weight, and so does a Conv whose kernel has more than 32 elements. Poolings, linear Resize, Mul, other Adds,
//   LayerNormalization and BatchNormalization, which R3, R8 and R9 quantize in INT8, read floats. R1, R4, R5, R7, R9,
//   R12 to R15 and R20 hold as they are, and of R21 the kernels.
// * Why: TensorRT has FP8 kernels for these operators only; beside another operator a pair rounds and gains nothing.
// * Change it: `--include` and `--policy include-op` win over it.
// * Source: Model-Optimizer, `fp8.py` (the list) and `graph_utils.py` (`find_nodes_from_convs_to_exclude`: kernel
//   elements, channels).
// * Networks: models/shapes_unet, whose ConvTranspose stays float; models/cifar10_efficientnet_b0.

#include "place/engines/tensorrt/rules.h"

namespace detent::rules::tensorrt {
namespace {

constexpr int64_t kMostKernelElements = 32;

bool is_listed_layer(OpKind kind) { return kind == OpKind::Conv || kind == OpKind::Gemm || kind == OpKind::MatMul; }

std::string not_listed(const Node& node) {
  return "TensorRT runs Conv, Gemm, MatMul and residual Adds in FP8, not " + node.op_type;
}

// True for operators without weights that rules quantize in INT8.
bool is_paired_between_kernels(OpKind kind) {
  switch (kind) {
    case OpKind::AveragePool:
    case OpKind::GlobalAveragePool:
    case OpKind::ReduceMean:
    case OpKind::Resize:
    case OpKind::Add:
    case OpKind::Mul:
    case OpKind::LayerNorm: return true;
    default: return false;
  }
}

void mark_fp8_layers(const GraphFacts& facts, PlacementDraft& draft) {
  if (draft.options().type != CodeType::Fp8) return;
  for (const Node& node : facts.graph().nodes()) {
    if (draft.is_forced(node.id)) continue;
    const OpKind kind = facts.kind(node.id);
    if (kind == OpKind::BatchNorm || (facts.is_weighted(node.id) && !is_listed_layer(kind))) {
      draft.keep_out(node.id, not_listed(node));
    } else if (facts.is_weighted(node.id) && kind == OpKind::Conv) {
      const Shape& weight = facts.weight(node.id).shape();
      if (const int64_t taps = weight.element_count(2, weight.rank()); taps > kMostKernelElements)
        draft.keep_out(node.id, "its kernel has " + std::to_string(taps) + " elements; FP8 convolutions exist for " +
                                    std::to_string(kMostKernelElements) + " at most");
    }
  }
}

// Runs after the rule of residual Adds, which has decided those.
void decide_fp8_layers(const GraphFacts& facts, PlacementDraft& draft) {
  if (draft.options().type != CodeType::Fp8) return;
  for (const Node& node : facts.graph().nodes()) {
    if (!is_paired_between_kernels(facts.kind(node.id))) continue;
    const std::string reason =
        facts.kind(node.id) == OpKind::Add ? "TensorRT runs residual Adds in FP8, and no others" : not_listed(node);
    for (const int slot : facts.data_slots(node.id))
      if (!facts.is_constant(node.input(slot))) draft.keep_float(node.id, slot, reason);
  }
}

}  // namespace

constinit const Rule kFp8Layers{.name = {"R17", "FP8 layer"}, .mark = mark_fp8_layers, .decide = decide_fp8_layers};

}  // namespace detent::rules::tensorrt
