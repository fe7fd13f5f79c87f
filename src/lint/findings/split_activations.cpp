//   wrong:   Conv --> Q/DQ --> Relu --> Q/DQ             right:   Conv --> Relu --> Q/DQ
//
// TensorRT runs a weighted op and its activation in one kernel, ONNX Runtime absorbs Relu and Clip(0, b). A pair
// between them prevents that. A pair behind a ConvTranspose is a policy (R6) and no finding.

#include <algorithm>

#include "lint/findings/findings.h"
#include "place/draft/flow.h"
#include "place/engines/onnxruntime/onnxruntime_pairs.h"

namespace detent::findings {
namespace {

// True when an edge between layer and activation reads a pair: also one inside x * Sigmoid(x), and that of the layer's
// BatchNormalization.
bool has_pair_between(const LintView& view, const Node& layer, NodeId activation) {
  const auto use = sole_use(view.graph(), layer.output(0));
  if (use && use->node != activation && view.operand(use->node, 0)) return true;
  const auto gated = gated_activation(view.facts(), activation);
  if (!gated) return view.operand(activation, 0) != nullptr;
  return std::ranges::any_of(gated->nodes, [&](NodeId node) {
    return std::ranges::any_of(view.facts().data_slots(node), [&](int slot) {
      const QuantizedOperand* pair = view.operand(node, slot);
      return pair && !pair->constant;
    });
  });
}

MaybeNode activation_of(const LintView& view, const Node& layer) {
  if (view.target().engine.pairs_in_front_suffice) return fused_activation(view.facts(), view.found(), layer.output(0));
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
    if (!activation || !has_pair_between(view, node, *activation)) continue;
    const std::string what = view.facts().describe(node.id) + " and " + view.facts().describe(*activation);
    log.add(view.node(*activation).name, "a pair stands between " + what + ": they run as two kernels instead of one",
            "remove the pair; the one behind the activation stays", {node.id});
  }
}

}  // namespace detent::findings
