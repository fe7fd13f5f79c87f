#pragma once

#include <string>

#include "report/table.h"

namespace detent {

/// Prints the head, unless it is empty, and the rows, with two blanks between columns.
[[nodiscard]] std::string to_text(const Table& table);

}  // namespace detent
