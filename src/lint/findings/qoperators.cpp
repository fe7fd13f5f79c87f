// QOperator models: QLinearConv and its relatives instead of pairs.

#include <map>

#include "core/text.h"
#include "lint/findings/findings.h"
#include "model/qoperators.h"

namespace detent::findings {

void qoperators(const LintView& view, FindingLog& log) {
  std::map<std::string, int> counts;
  const Node* first = nullptr;
  for (const Node& node : view.graph().nodes()) {
    if (!is_qoperator(node)) continue;
    if (!first) first = &node;
    ++counts[node.op_type];
  }
  if (!first) return;
  const std::string text =
      join(counts, ", ", [](const auto& entry) { return std::to_string(entry.second) + " " + entry.first; });
  log.add(first->name, "the model holds integer operators (" + text + "), which TensorRT refuses",
          "quantize the float model with Q/DQ pairs (in onnxruntime.quantization: quant_format=QDQ)", {});
  log.close();
}

}  // namespace detent::findings
