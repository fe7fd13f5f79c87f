#include "report/html/document.h"
#include "report/html/graph_drawing.h"
#include "report/html/parts.h"

namespace detent::html {

std::string drawing_markup(const document::Graph& graph) {
  const GraphView view = view_graph(*graph.plan, graph.findings);
  if (view.nodes.empty()) return {};
  const bool drawn = view.nodes.size() <= kMostDrawn;
  return std::string("<p class=\"lead\">") +
         (drawn ? "From the inputs at the top to the outputs. Choose a node to see why it computes in its type and "
                  "which of its inputs have pairs; the arrow keys follow the edges. Fusion by the engine is not shown."
                : "Too large to draw; the list has every node.") +
         "</p>" + (drawn ? key({&view}) + drawing(view) : std::string()) + graph_list(view);
}

}  // namespace detent::html
