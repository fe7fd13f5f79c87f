#pragma once

#include <string>
#include <string_view>

#include "detent/compare.h"

namespace detent {
struct PageOrigin;
}

namespace detent::html {

/// Style and script of the page: all .css and all .js files of src/report/html/page, ordered by name and embedded by
/// src/report/html/embed_page.cmake.
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;

/// Parts of the page. Each function prints one; "" when there is nothing to show. Summaries are never empty.

/// Prints the samples, the winner, and its lead over the next candidate.
[[nodiscard]] std::string summary_section(const ComparisonReport& report);
/// Prints the origin of the page.
[[nodiscard]] std::string origin_section(const PageOrigin& origin);
/// Prints one row per variant with every metric, and single outputs where there are several.
[[nodiscard]] std::string candidates_section(const ComparisonReport& report);

}  // namespace detent::html
