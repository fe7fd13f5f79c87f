#pragma once

#include <string_view>

namespace detent::html {

/// The style and the script of the page: all .css and all .js files of src/report/html/page in the order of their
/// names, built in by src/report/html/embed_page.cmake.
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;

}  // namespace detent::html
