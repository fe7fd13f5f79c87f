//   --max-drop 0.01:   before: Q --> DQ --> Conv 'stem'        after: Conv 'stem' reads float, its weight stays float
//
// Measurements keep layers float whose quantization costs more than the user allows (--max-drop, --min-sqnr), and all
// other layers while the cost of one is measured. They are marked before any rule decides, like the user's excludes, so
// that the neighbours' pairs are decided with them and no half fusion remains. Nodes that the user includes are
// quantized anyway. An engine without float kernels gives them 16-bit codes instead (H6).
//
// Source: our policy, like the mixed precision of NVIDIA Model-Optimizer's auto_quantize. Motivated by
// models/cifar10_efficientnet_b0.

#include "place/rules/rules.h"

namespace detent::rules {
namespace {

void mark_measured_choice(const GraphFacts& facts, PlacementDraft& draft) {
  for (const auto& [name, reason] : draft.measured().costly) {
    const MaybeNode node = facts.graph().find_node(name);
    if (!node) throw Error(ErrorCode::InvalidOption, "there is no node '" + name + "' that could be kept float");
    if (!draft.is_forced(*node)) draft.keep_out(*node, reason);
  }
}

}  // namespace

Rule measured_choice() { return {.id = RuleId::MeasuredChoice, .mark = mark_measured_choice}; }

}  // namespace detent::rules
