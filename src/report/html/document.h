#pragma once

#include <string>

#include "report/document/document.h"

namespace detent::html {

/// Returns the words with names in code type, escaped.
[[nodiscard]] std::string markup(const document::Words& words);
/// Prints a section with its heading; "" where it has no part for pages.
[[nodiscard]] std::string section_markup(const document::Section& section);
/// Prints the summary at the top of a page.
[[nodiscard]] std::string header_markup(const document::Document& document);
/// Prints the kinds of findings with their cures, and every finding.
[[nodiscard]] std::string findings_markup(const std::vector<LintReport::Finding>& findings);
/// Draws the graph in layers, with nodes coloured by their type and marks for pairs and casts, and lists it with every
/// reason and with the findings that name a node. Above 5000 nodes it is only listed; "" without a graph.
[[nodiscard]] std::string graph_markup(const PlanReport& plan, const std::vector<LintReport::Finding>& findings);

}  // namespace detent::html
