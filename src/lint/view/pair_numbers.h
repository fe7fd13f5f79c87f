#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lint/view/finding.h"

namespace detent::findings {

/// Returns the indices of the QuantizeLinear and DequantizeLinear nodes for which `flawed` holds; only the first node
/// of a pair when it holds for both, so that one flaw is one finding.
[[nodiscard]] std::vector<int> nodes_where(const LintView& view, const std::function<bool(const QdqNode&)>& flawed);

/// Returns "the pair on 'x'", "the weight of Conv 'c1'" or "the bias of Conv 'c1'".
[[nodiscard]] std::string subject(const LintView& view, int index);

/// Returns "2.5": short, but exact enough to be found in the file.
[[nodiscard]] std::string number_text(double value);

/// Adds a finding for each node: its subject, then `message`.
void add_each(const LintView& view, FindingLog& log, const std::function<bool(const QdqNode&)>& flawed,
              const std::string& message, const std::string& cure);

}  // namespace detent::findings
