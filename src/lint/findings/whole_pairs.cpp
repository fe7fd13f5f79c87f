//   wrong:   x --> Q --> Conv                 right:   x --> Q --> DQ --> Conv
//   wrong:   x --> Q --> Cast --> DQ          right:   x --> Q --> DQ
//   narrow:  x --> Q --> Clip --> DQ          full:    x --> Q (a smaller scale) --> DQ
//
// Codes that a float operator reads, or nothing reads; a DequantizeLinear of another type of codes than its
// QuantizeLinear; a pair that a Clip of the codes gives a narrower range: PyTorch's reduce_range, Brevitas below 8
// bits; an operator other than a copy that computes with codes.

#include <fmt/core.h>

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
      const bool copies = reader && (commutes(view.facts(), view.found(), *reader) ||
                                     is_data_concat(view.facts(), view.found(), *reader));
      if (operand->dequantize >= 0 || !reader || copies) continue;
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

void operator_inside_pair(const LintView& view, FindingLog& log) {
  std::set<int> seen;
  for (const QuantizedOperand& operand : view.reading().operands) {
    const QdqNode& node = view.grid(operand);
    if (operand.quantize < 0 || operand.dequantize < 0 || !node.clipped || !seen.insert(operand.quantize).second)
      continue;
    log.add(
        view.qdq(operand.quantize).name,
        fmt::format("{} has the codes {} to {} of {} alone: a Clip of the codes, a kernel by itself, narrows its range",
                    subject(view, operand.quantize), node.clipped->lowest, node.clipped->highest, name_of(node.codes)),
        "`detent repair` writes a pair of that range without the Clip", view.layers_of(operand.quantize));
  }
  for (const ComputedCodes& computed : view.reading().computed)
    log.add(computed.node,
            computed.op +
                " computes with codes: the DequantizeLinear behind it gives other numbers than the "
                "QuantizeLinear before it took, so the two are no pair",
            "let it compute with floats, in front of the pair or behind it", view.layers_of(computed.dequantize));
}

}  // namespace detent::findings
