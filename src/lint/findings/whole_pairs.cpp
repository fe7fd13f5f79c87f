//   wrong:   x --> Q --> Conv                 right:   x --> Q --> DQ --> Conv
//   wrong:   x --> Q --> Cast --> DQ          right:   x --> Q --> DQ
//
// Codes that a float operator reads, or that nobody reads; codes of another type in the second half than in the first.

#include <set>

#include "lint/findings/findings.h"
#include "lint/findings/pair_numbers.h"
#include "place/draft/flow.h"

namespace detent::findings {
namespace {

void check_whole_pairs(const LintView& view, FindingLog& log) {
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

void check_casts(const LintView& view, FindingLog& log) {
  std::set<int> seen;
  for (const QuantizedOperand& operand : view.reading().operands) {
    if (!operand.cast || operand.dequantize < 0 || !seen.insert(operand.dequantize).second) continue;
    const QdqNode& dq = view.qdq(operand.dequantize);
    log.add(dq.name,
            "a Cast to another type of codes stands between QuantizeLinear and DequantizeLinear of " +
                subject(view, operand.dequantize) + ": engines look for the two side by side and find no pair",
            "remove the Cast and give both halves one type of codes", view.layers_of(operand.dequantize));
  }
}

}  // namespace

FindingKind q_without_dq() {
  return {"q-without-dq",
          FindingLevel::Error,
          FindingLevel::Error,
          "a QuantizeLinear without its DequantizeLinear",
          "onnx.ai/onnx/operators/onnx__QuantizeLinear.html",
          check_whole_pairs};
}

FindingKind cast_between_halves() {
  return {"cast-between-q-and-dq",
          FindingLevel::Warning,
          FindingLevel::Warning,
          "a Cast of the codes to another type parts a pair",
          "tried in ONNX Runtime 1.30, CPU; for TensorRT ours",
          check_casts};
}

}  // namespace detent::findings
