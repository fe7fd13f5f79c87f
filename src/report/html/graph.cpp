#include "report/html/graph_drawing.h"
#include "report/html/parts.h"
#include "report/html/sections.h"

namespace detent::html {

std::string graph_section(const PlanReport& plan, const std::vector<LintReport::Finding>& findings) {
  const GraphView view = view_graph(plan, findings);
  if (view.nodes.empty()) return {};
  const bool drawn = view.nodes.size() <= kMostDrawn;
  return section("graph", "Graph",
                 drawn ? "From the inputs at the top to the outputs. Choose a node to see why it computes in its type "
                         "and which of its inputs have pairs; the arrow keys follow the edges. Fusion by the engine is "
                         "not shown."
                       : "Too large to draw; the list has every node.",
                 (drawn ? key({&view}) + drawing(view) : std::string()) + graph_list(view));
}

}  // namespace detent::html
