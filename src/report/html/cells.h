#pragma once

#include <string>
#include <string_view>

namespace detent::html {

/// A cell with a number: `key` is what scripts sort by, `text` stands as it is.
[[nodiscard]] std::string number_cell(double key, const std::string& text, std::string_view classes = "number");

/// A heading by which a click sorts its column of names.
[[nodiscard]] std::string text_head(std::string_view label, std::string_view classes = {});
/// A heading by which a click sorts its column of numbers. `meaning` is shown when it is pointed at.
[[nodiscard]] std::string number_head(std::string_view label, std::string_view meaning,
                                      std::string_view classes = "number");

/// A table that may be wider than the page, in a box that scrolls.
[[nodiscard]] std::string scrolling(const std::string& table, std::string_view label);

}  // namespace detent::html
