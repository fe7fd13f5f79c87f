#pragma once

#include <string>

#include "report/build/documents.h"
#include "report/text/document.h"

namespace detent {

/// Prints a report, as its command does on stdout. Every text ends with a newline. Under Lists::Capped, similar lines
/// become one with their number, and the last line says that --all lists everything.
template <class Report>
requires requires(const Report& report) { build::document_of(report); }
[[nodiscard]] std::string to_text(const Report& report, Lists lists = Lists::Capped) {
  return to_text(build::document_of(report), lists);
}

}  // namespace detent
