#pragma once

#include "detent/lint.h"
#include "report/document/document.h"

namespace detent::build {

/// Makes the document of a report. It points into the report, which must outlive it.
[[nodiscard]] document::Document document_of(const PlanReport& report);
[[nodiscard]] document::Document document_of(const LintReport& report);

}  // namespace detent::build
