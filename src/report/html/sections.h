#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "detent/explain.h"
#include "detent/lint.h"
#include "detent/quantize.h"
#include "detent/quantize_weights.h"
#include "detent/repair.h"
#include "detent/sensitivity.h"

namespace detent {
struct PageOrigin;
}

namespace detent::html {

/// Style and script of the page: all .css and all .js files of src/report/html/page, ordered by name and embedded by
/// src/report/html/embed_page.cmake.
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;

/// Parts of the page. Each function prints one; "" when there is nothing to show. Summaries are never empty.

/// Prints the shares of types and of reformats.
[[nodiscard]] std::string summary_section(const ExplainReport& report);
/// Prints every layer of an engine with a bar for its share, its cause and its cure.
[[nodiscard]] std::string engine_layers_section(const ExplainReport& report);
/// Prints the layers that another engine builds otherwise.
[[nodiscard]] std::string engine_differences_section(const ExplainReport& report);
/// Prints the origin of the page.
[[nodiscard]] std::string origin_section(const PageOrigin& origin);

}  // namespace detent::html
