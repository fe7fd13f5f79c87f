// No pair stands between a layer and its activation.
//
//   wrong:   Conv --> Q --> DQ --> Relu --> Q --> DQ        right:   Conv --> Relu --> Q --> DQ
//
//   SiLU:    Conv --+-----------> Mul --> Q --> DQ          no pair on any of the three inner edges
//                   +-> Sigmoid --^
//
// * Decides: no pair stands between a weighted op and the activation behind it: Relu, LeakyRelu, Sigmoid, Clip,
//   HardSwish, HardSigmoid, x * Sigmoid(b * x). None stands inside an activation that several nodes compute from one
//   value, element by element: x * Sigmoid(b * x), x * Clip(x + 3) / 6, x * Tanh(Softplus(x)) (Mish), Relu(x) +
//   a * (x - |x|) (PRelu). A BatchNormalization between layer and activation belongs to the layer (R3).
// * Why: TensorRT runs layer and activation as one kernel. A pair between them makes two of it. A LeakyRelu fuses only
//   with a pair behind it. Mish and PRelu are separate kernels, which read floats from the layer and write codes. Notes
//   say so.
// * Change it: no option. R6 is the exception.
// * Source: TensorRT guide; Model-Optimizer. Clip, HardSwish and HardSigmoid: ours (Model-Optimizer puts a pair in
//   front of them). [TensorRT 2134](https://github.com/NVIDIA/TensorRT/issues/2134) (LeakyRelu).
//   Mish and PRelu: tried with TensorRT 10.6. Activations of several nodes except SiLU: ours.
// * Networks: models/imagenet_mobilenetv2 (Clip), models/cifar10_efficientnet_b0 (SiLU).

#include "place/draft/flow.h"
#include "place/rules/rules.h"

namespace detent::rules {
namespace {

void keep_inside_float(const GraphFacts& facts, PlacementDraft& draft, const Node& last) {
  const auto written = written_activation(facts, last.id);
  if (!written || written->form == WrittenActivation::Form::Gelu) return;  // R9 decides GELU
  const std::string reason = written->form == WrittenActivation::Form::Gated
                                 ? "inside x * Sigmoid(x), which is one activation"
                                 : "inside an activation that several nodes compute";
  for (const NodeId node : written->nodes)
    for (const int slot : facts.data_slots(node))
      if (!facts.is_constant(facts.node(node).input(slot))) draft.keep_float(node, slot, reason);
}

void decide_fused_activation(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    keep_inside_float(facts, draft, node);
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

}  // namespace

constinit const Rule kFusedActivation{
    .name = {"R2", "fused activation"}, .decide = decide_fused_activation, .share = explain_later_activations};

}  // namespace detent::rules
