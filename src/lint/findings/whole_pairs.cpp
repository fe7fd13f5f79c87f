//   wrong:   x --> Q --> Conv                 right:   x --> Q --> DQ --> Conv
//
// Codes that a float operator reads, or that nobody reads.

#include "lint/findings/findings.h"
#include "lint/findings/pair_numbers.h"
#include "place/draft/flow.h"

namespace detent::findings {
namespace {

void check(const LintView& view, FindingLog& log) {
  const std::string cure = "put a DequantizeLinear with the same scale and zero point behind it";
  for (int i = 0; i < static_cast<int>(view.reading().nodes.size()); ++i) {
    const QdqNode& node = view.qdq(i);
    if (!node.quantizes) continue;
    for (const QuantizedOperand* operand : view.operands_of(i)) {
      const NodeId reader = view.graph().find_node(operand->node);
      if (operand->dequantize >= 0 || reader == kNoNode || commutes(view.found(), reader)) continue;
      log.add(node.name, view.found().describe(reader) + " reads codes: no DequantizeLinear stands in front of it",
              cure, view.layers_of(i));
      break;
    }
    if (node.readers == 0 && !node.writes_graph_output)
      log.add(node.name, "nobody reads the codes: half a pair was left behind", "remove it, or " + cure, {});
  }
}

}  // namespace

FindingKind q_without_dq() {
  return {"q-without-dq",
          FindingLevel::Error,
          FindingLevel::Error,
          "a QuantizeLinear without its DequantizeLinear",
          "onnx.ai/onnx/operators/onnx__QuantizeLinear.html",
          check};
}

}  // namespace detent::findings
