#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lint/view/finding.h"

namespace detent::findings {

/// Indices of the QuantizeLinear and DequantizeLinear nodes for which `flawed` holds; of a pair whose two halves are,
/// the first alone: one flaw is one finding.
[[nodiscard]] std::vector<int> nodes_where(const LintView& view, const std::function<bool(const QdqNode&)>& flawed);

/// "the pair on 'x'", "the weight of Conv 'c1'", "the bias of Conv 'c1'".
[[nodiscard]] std::string subject(const LintView& view, int index);

/// "2.5", as short as it is exact enough to be found in the file.
[[nodiscard]] std::string number_text(double value);

/// A finding for each node: its subject, then `message`.
void add_each(const LintView& view, FindingLog& log, const std::function<bool(const QdqNode&)>& flawed,
              const std::string& message, const std::string& cure);

}  // namespace detent::findings
