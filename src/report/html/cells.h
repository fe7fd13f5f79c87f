#pragma once

#include <string>
#include <string_view>

#include "report/table.h"

namespace detent::html {

/// A cell with a number: `key` is what scripts sort by, `text` stands as it is.
[[nodiscard]] std::string number_cell(double key, const std::string& text, std::string_view classes = "number");

/// Prints a table, whose columns a click on their heads sorts. attributes  of its tag: "id=\"layers\" class=\"wide\"".
[[nodiscard]] std::string table_markup(const Table& table, std::string_view attributes);

/// A table that may be wider than the page, in a box that scrolls.
[[nodiscard]] std::string scrolling(const std::string& table, std::string_view label);

}  // namespace detent::html
