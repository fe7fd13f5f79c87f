//   wrong:   Conv --> Q/DQ --> Relu --> Q/DQ             right:   Conv --> Relu --> Q/DQ
//
// TensorRT runs a weighted op and its activation in one kernel, ONNX Runtime absorbs Relu and Clip(0, b). A pair
// between them prevents that. A pair behind a ConvTranspose is a policy (R6) and no finding.

#include "lint/findings/findings.h"
#include "place/draft/flow.h"
#include "place/engines/onnxruntime/onnxruntime_pairs.h"

namespace detent::findings {
namespace {

// Returns the edge between layer and activation that reads a pair; for x * Sigmoid(x) any of the three.
const QuantizedOperand* pair_between(const LintView& view, NodeId activation) {
  if (const QuantizedOperand* pair = view.operand(activation, 0)) return pair;
  const auto gated = gated_activation(view.facts(), activation);
  if (!gated) return nullptr;
  if (const QuantizedOperand* pair = view.operand(activation, 1)) return pair;
  return view.operand(gated->gate, 0);
}

MaybeNode activation_of(const LintView& view, const Node& layer) {
  if (view.target().engine.pairs_in_front_suffice) {
    const MaybeNode activation = fused_activation(view.facts(), view.found(), layer.output(0));
    // Either node of a gated activation may be the first reader; the product ends it.
    if (!activation) return kNoNode;
    for (const Use& use : view.value(*layer.output(0)).uses)
      if (use.slot >= 0 && gated_activation(view.facts(), use.node)) return use.node;
    return activation;
  }
  if (view.facts().kind(layer.id) != OpKind::Conv) return kNoNode;
  const MaybeValue behind = absorbed_output(view.facts(), view.found(), layer.output(0), Absorbs::ReluAndClip);
  return behind == layer.output(0) ? kNoNode : view.producer(behind)->id;
}

}  // namespace

void pair_between_conv_and_activation(const LintView& view, FindingLog& log) {
  for (const Node& node : view.graph().nodes()) {
    if (!view.facts().is_weighted(node.id) || view.facts().kind(node.id) == OpKind::ConvTranspose) continue;
    if (!view.is_meant_int8(node.id)) continue;
    const MaybeNode activation = activation_of(view, node);
    if (!activation || !pair_between(view, *activation)) continue;
    const std::string what = view.facts().describe(node.id) + " and " + view.facts().describe(*activation);
    log.add(view.node(*activation).name, "a pair stands between " + what + ": they run as two kernels instead of one",
            "remove the pair; the one behind the activation stays", {node.id});
  }
}

}  // namespace detent::findings
