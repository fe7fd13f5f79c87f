//   --max-drop 0.01:   before: Q --> DQ --> Conv 'stem'        after: Conv 'stem' reads float, its weight stays float
//
// What a measurement keeps float: layers whose quantization costs more than the user allows (--max-drop, --min-sqnr), and
// all others while one layer's cost is measured. Marked before any rule looks, as the user's own excludes are, so that the
// neighbours' pairs are decided with it and no half fusion remains. What the user includes is quantized all the same.
//
// Source: ours, as the mixed precision of NVIDIA Model-Optimizer's auto_quantize. Motivated by
// models/cifar10_efficientnet_b0.

#include "place/rules/rules.h"

namespace detent::rules {
namespace {

void mark(PlacementDraft& draft) {
  for (const auto& [name, reason] : draft.options().keep_float) {
    const NodeId node = draft.graph().find_node(name);
    if (node == kNoNode)
      throw Error(ErrorCode::InvalidOption, "there is no node '" + name + "' that could be kept float");
    if (!draft.is_forced(node)) draft.keep_out(node, reason);
  }
}

}  // namespace

Rule measured_choice() {
  return {.name = "R13 measured", .source = "README.md, --max-drop and --min-sqnr", .mark = mark};
}

}  // namespace detent::rules
