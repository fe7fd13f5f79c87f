//   wrong:   Conv --> Q --> DQ --> Relu --> Q --> DQ        right:   Conv --> Relu --> Q --> DQ
//
//   SiLU:    Conv --+-----------> Mul --> Q --> DQ          no pair on any of the three inner edges
//                   +-> Sigmoid --^
//
// TensorRT runs a weighted op and the activation behind it in one kernel; a pair between them splits the kernel in two.
//
// Source: TensorRT developer guide, "Explicit Quantization"; NVIDIA Model-Optimizer for Relu, LeakyRelu, Sigmoid and
// SiLU. Clip, HardSwish and HardSigmoid: our policy (Model-Optimizer puts a pair before them). LeakyRelu needs the pair
// behind: github.com/NVIDIA/TensorRT/issues/2134. Depthwise Conv + SiLU does not fuse: .../issues/3205. Motivated by
// models/imagenet_mobilenetv2 (Clip) and models/cifar10_efficientnet_b0 (SiLU).

#include "place/draft/flow.h"
#include "place/rules/rules.h"

namespace detent::rules::tensorrt {
namespace {

bool is_depthwise(const GraphFacts& facts, NodeId node) {
  return facts.kind(node) == OpKind::Conv && facts.node(node).int_or("group", 1) > 1 &&
         facts.weight(node).shape()[1] == 1;
}

void decide_fused_activation(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    if (const auto gated = gated_activation(facts, node.id)) {
      const std::string reason = "inside x * Sigmoid(x), which is one activation";
      draft.keep_float(gated->gate, 0, reason);
      draft.keep_float(node.id, 0, reason);
      draft.keep_float(node.id, 1, reason);
    }
    if (!draft.is_int8(node.id)) continue;
    const MaybeNode activation = fused_activation(facts, draft, node.output(0));
    if (!activation) continue;
    draft.keep_float(*activation, 0,
                     "runs in the kernel of " + facts.describe(node.id) + "; a pair between would split it");
  }
}

// Decides activations behind a residual Add or a constant Add or Mul, which belong to the kernel of the layer before.
void explain_later_activations(const GraphFacts& facts, PlacementDraft& draft) {
  const ValueMap<bool> sources = int8_sources(draft);
  for (const Node& node : facts.graph().nodes())
    if (is_fusable_activation(facts.kind(node.id)) && !draft.is_out(node.id) &&
        sole_use(facts.graph(), node.input(0)) && sources[*node.input(0)])
      draft.keep_float(node.id, 0, "runs in the kernel that ends in " + facts.describe_source(*node.input(0)));
}

// Names the activations that TensorRT does not fuse although nothing stands between.
void note_unfused_activations(const GraphFacts& facts, PlacementDraft& draft) {
  explain_later_activations(facts, draft);
  for (const Node& node : facts.graph().nodes()) {
    if (!draft.is_int8(node.id)) continue;
    const MaybeNode activation = fused_activation(facts, draft, node.output(0));
    if (!activation) continue;
    if (is_depthwise(facts, node.id) && gated_activation(facts, *activation))
      draft.note(facts.describe(node.id) + ": TensorRT does not fuse a depthwise convolution with the SiLU behind it");
    if (facts.kind(*activation) != OpKind::LeakyRelu) continue;
    if (pairs_behind(draft, facts.node(*activation).output(0)).empty())
      draft.note(facts.describe(*activation) + " fuses with " + facts.describe(node.id) +
                 " only if a pair stands behind it, and no reader needs one there");
  }
}

}  // namespace

Rule fused_activation() {
  return {.id = RuleId::FusedActivation, .decide = decide_fused_activation, .share = explain_later_activations};
}

Rule tensorrt_fused_activation() {
  return {.id = RuleId::FusedActivation, .decide = decide_fused_activation, .share = note_unfused_activations};
}

}  // namespace detent::rules::tensorrt
