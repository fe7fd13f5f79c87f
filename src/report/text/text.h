#pragma once

#include <string>

#include "detent/cache.h"
#include "detent/compare.h"
#include "detent/inspect.h"
#include "detent/lint.h"
#include "detent/quantize.h"
#include "detent/verify.h"
#include "report/build/documents.h"
#include "report/lists.h"
#include "report/text/aligned.h"
#include "report/text/document.h"

namespace detent {

/// Prints a report that has a tree, as its command does on stdout. Every text ends with a newline. Under Lists::Capped,
/// similar lines become one with their number, and the last line says that --all lists everything.
template <class Report>
requires requires(const Report& report) { build::document_of(report); }
[[nodiscard]] std::string to_text(const Report& report, Lists lists = Lists::Capped) {
  return to_text(build::document_of(report), lists);
}
/// Prints one line for each kind of finding.
[[nodiscard]] std::string to_text(const std::vector<FindingInfo>& kinds);
/// Prints the text of each target, and the time of all.
[[nodiscard]] std::string to_text(const QuantizeTargetsReport& report, Lists lists = Lists::Capped);
[[nodiscard]] std::string to_text(const VerifyReport::Line& line);
/// Counts failed and unsupported folders by operator, and prints "N passed, M failed, K unsupported".
[[nodiscard]] std::string summary_text(const VerifyReport& report);
/// Prints a histogram.
[[nodiscard]] std::string to_text(const DistributionReport& report);
[[nodiscard]] std::string to_text(const CacheExportReport& report);
[[nodiscard]] std::string to_text(const CacheImportReport& report);

}  // namespace detent
