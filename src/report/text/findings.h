#pragma once

#include <string>
#include <vector>

#include "detent/lint.h"
#include "report/lists.h"

namespace detent {

/// Prints each kind of finding with an example, its cure and the number of others.
[[nodiscard]] std::string findings_text(const std::vector<LintReport::Finding>& findings, Listing& listing);

}  // namespace detent
