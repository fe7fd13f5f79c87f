#pragma once

#include <string_view>

namespace detent::html {

/// What lies in src/report/html/page: all .css and all .js files in the order of their names, built in by
/// src/report/html/embed_page.cmake.
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;

}  // namespace detent::html
