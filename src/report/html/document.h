#pragma once

#include <string>

#include "report/document/document.h"

namespace detent::html {

/// Prints a section with its heading; "" where it has no part for pages.
[[nodiscard]] std::string section_markup(const document::Section& section);
/// Prints the summary at the top of a page.
[[nodiscard]] std::string header_markup(const document::Document& document);
/// Prints the kinds of findings with their cures, and every finding.
[[nodiscard]] std::string findings_markup(const std::vector<LintReport::Finding>& findings);
/// Draw a part that stands in pages alone; "" where there is nothing to draw.

/// Draws the graph in layers, with nodes coloured by their type and marks for pairs and casts, and lists it with every
/// reason and with the findings that name a node. Above 5000 nodes it is only listed.
[[nodiscard]] std::string drawing_markup(const document::Graph& graph);
/// Draws the graph before and after a repair side by side, with pairs by what becomes of them.
[[nodiscard]] std::string drawing_markup(const document::RepairedGraphs& graphs);
/// Prints every value's histogram with its ranges, selected from a list: the largest error first if it was measured,
/// else the largest difference of the calibrators, or the most clipped with one calibrator.
[[nodiscard]] std::string drawing_markup(const document::Histograms& view);
/// Draws the number of ranges that each calibration sample sets alone.
[[nodiscard]] std::string drawing_markup(const OutlierReport* report);
/// Draws pictures with the boxes of both models, worst first, and the scores in one model over those in the other.
[[nodiscard]] std::string drawing_markup(const DetectionPictures* shown);
/// Draws points with their tooltips and a key; those with an infinite x beside the axis. "" without a point to draw.
[[nodiscard]] std::string drawing_markup(const document::Scatter& plot);

}  // namespace detent::html
