#pragma once

#include <string>
#include <vector>

#include "report/html/graph_view.h"

namespace detent::html {

/// Nodes of the graphs that a page draws, at most: about 4 MB of page. Larger graphs are only listed.
inline constexpr size_t kMostDrawn = 5000;

/// Draws a graph from its inputs at the top to its outputs; a box links to its row of graph_list().
[[nodiscard]] std::string drawing(const GraphView& view);
/// Lists every node with its findings and the values that it reads.
/// beside  "before", if another graph stands on the page; else empty
[[nodiscard]] std::string graph_list(const GraphView& view, const std::string& beside = {});
/// Explains the colours and marks that the drawings have.
[[nodiscard]] std::string key(const std::vector<const GraphView*>& views);

}  // namespace detent::html
