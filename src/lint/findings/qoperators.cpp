// QOperator models: QLinearConv and its relatives instead of pairs.

#include "model/qoperators.h"

#include <algorithm>

#include "lint/findings/findings.h"

namespace detent::findings {

void qoperators(const LintView& view, FindingLog& log) {
  const std::string text = integer_operators_text(view.graph());
  if (text.empty()) return;
  const auto first = std::ranges::find_if(view.graph().nodes(), is_qoperator);
  log.add(first->name, "the model holds " + text + ", which TensorRT refuses", kIntegerOperatorsCure, {});
  log.close();
}

}  // namespace detent::findings
