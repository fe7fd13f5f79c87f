#pragma once

#include <string>

namespace detent {

/// Returns the JSON document of a report, indented by two blanks, with a final newline: src/report/json/README.md. Its
/// members come from fields() in src/report/json/fields. Numbers that are not finite become null, bytes that are not
/// UTF-8 become U+FFFD, and characters that no terminal should get raw are escaped (core/shown_text.h). Defined for
/// every report of a command.
template <class Report>
[[nodiscard]] std::string to_json(const Report& report);

}  // namespace detent
