#pragma once

#include <string>
#include <string_view>

namespace detent {
struct PageOrigin;
}

namespace detent::html {

/// Style and script of the page: all .css and all .js files of src/report/html/page, ordered by name and embedded by
/// src/report/html/embed_page.cmake.
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;

/// Prints the origin of the page.
[[nodiscard]] std::string origin_section(const PageOrigin& origin);

}  // namespace detent::html
