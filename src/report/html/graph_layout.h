#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace detent::html {

/// A drawing of a directed graph in layers from top to bottom; lengths in CSS pixels.
struct GraphLayout {
  static constexpr double kBoxWidth = 196, kBoxHeight = 38, kLayerHeight = 84;

  struct Box {
    double x = 0, y = 0;  ///< of its upper left corner
    size_t layer = 0;     ///< 0 at the top
    size_t place = 0;     ///< among the boxes of its layer, from the left
  };
  /// A line down one gap between two layers, and straight on to `end`.
  struct Line {
    double x = 0, y = 0, to_x = 0, to_y = 0, end = 0;
  };
  struct Arc {
    Line line;         ///< the last line, into the box that reads
    bool cut = false;  ///< too long to draw: `line` is a stub above the reader; another stub is below the maker
  };
  double width = 0, height = 0;
  std::vector<Box> boxes;    ///< of the nodes
  std::vector<Arc> arcs;     ///< of the arcs
  std::vector<Line> trunks;  ///< lines of long arcs through the layers between; arcs of one node share them
};

struct GraphArc {
  size_t from = 0, to = 0;  ///< from < to
};

/// Arranges nodes in layers by the longest path, with inputs just above their first reader, and orders each layer by
/// the barycentres of the neighbours. Deterministic; empty without nodes. Takes time and memory linear in nodes and
/// arcs, at most 40 waypoints a node: arcs that span more layers are cut. Source  K. Sugiyama, S. Tagawa, M. Toda:
/// Methods for Visual Understanding of Hierarchical System Structures, 1981.
[[nodiscard]] GraphLayout lay_out(size_t nodes, std::span<const GraphArc> arcs);

}  // namespace detent::html
