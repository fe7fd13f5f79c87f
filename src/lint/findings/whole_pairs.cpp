//   wrong:   x --> Q --> Conv                 right:   x --> Q --> DQ --> Conv
//   wrong:   x --> Q --> Cast --> DQ          right:   x --> Q --> DQ
//
// Codes that a float operator reads, or nothing reads; a DequantizeLinear of another type of codes than its
// QuantizeLinear.

#include <set>

#include "lint/findings/findings.h"
#include "lint/view/pair_numbers.h"
#include "place/draft/flow.h"

namespace detent::findings {

void q_without_dq(const LintView& view, FindingLog& log) {
  const std::string cure = "put a DequantizeLinear with the same scale and zero point behind it";
  for (int i = 0; i < static_cast<int>(view.reading().nodes.size()); ++i) {
    const QdqNode& node = view.qdq(i);
    if (!node.quantizes) continue;
    for (const QuantizedOperand* operand : view.operands_of(i)) {
      const MaybeNode reader = view.graph().find_node(operand->node);
      if (operand->dequantize >= 0 || !reader || commutes(view.facts(), view.found(), *reader)) continue;
      log.add(node.name, view.facts().describe(*reader) + " reads codes: there is no DequantizeLinear before it", cure,
              view.layers_of(i));
      break;
    }
    if (node.readers == 0 && !node.writes_graph_output)
      log.add(node.name, "nothing reads the codes: the pair has no DequantizeLinear", "remove it, or " + cure, {});
  }
}

void cast_between_halves(const LintView& view, FindingLog& log) {
  std::set<int> seen;
  for (const QuantizedOperand& operand : view.reading().operands) {
    if (!operand.cast || operand.dequantize < 0 || !seen.insert(operand.dequantize).second) continue;
    const QdqNode& dq = view.qdq(operand.dequantize);
    log.add(dq.name,
            "a Cast to another type of codes stands between QuantizeLinear and DequantizeLinear of " +
                subject(view, operand.dequantize) + ": engines look for the two side by side and find no pair",
            "remove the Cast and use one type of codes for both", view.layers_of(operand.dequantize));
  }
}

}  // namespace detent::findings
