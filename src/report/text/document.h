#pragma once

#include <string>

#include "report/document/document.h"
#include "report/lists.h"

namespace detent {

/// Prints the parts of a section, one statement a line; "" where it has none for texts.
[[nodiscard]] std::string to_text(const document::Section& section, Listing& listing);
/// A text for a terminal.
struct TerminalText {
  std::string first;  ///< what users look for: warning, verdict, score, written file
  std::string rest;
};
[[nodiscard]] TerminalText terminal_text(const document::Document& document, Lists lists);
/// Prints the warning, the name of the file with its facts, the sections in their order, whether something was left
/// out, and the verdict. Names with control characters stay on their line.
[[nodiscard]] std::string to_text(const document::Document& document, Lists lists);

}  // namespace detent
