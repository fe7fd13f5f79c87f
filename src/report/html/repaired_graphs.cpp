#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "report/html/document.h"
#include "report/html/graph_drawing.h"
#include "report/html/parts.h"

namespace detent::html {
namespace {

using Slot = std::pair<std::string, int>;

std::set<Slot> paired_slots(const PlanReport& plan) {
  std::set<Slot> slots;
  for (const auto& edge : plan.edges)
    if (is_pair(edge.reads)) slots.emplace(edge.consumer, edge.slot);
  return slots;
}

/// Says what becomes of each pair of a graph before or after a repair.
class PairFates {
 public:
  explicit PairFates(const RepairReport& report)
      : before_(paired_slots(report.before.plan)), after_(paired_slots(report.lint.plan)) {
    for (const auto& pair : report.pairs) {
      actions_.emplace(pair.value, pair.action);  // the first one tells of the value, others of single readers
      if (!pair.moved_from.empty()) left_.insert(pair.moved_from);
    }
  }

  /// after  true: the arcs are those of the written file
  void mark(GraphView& view, bool after) const {
    for (auto& arc : view.arcs)
      if (arc.edge && is_pair(arc.edge->reads)) arc.fate = after ? fate_after(arc) : fate_before(arc);
  }

 private:
  [[nodiscard]] std::string_view action_of(const GraphView::Arc& arc) const {
    const auto found = actions_.find(arc.edge->value);
    return found == actions_.end() ? std::string_view("kept") : std::string_view(found->second);
  }
  [[nodiscard]] std::string_view fate_before(const GraphView::Arc& arc) const {
    if (!actions_.contains(arc.edge->value) && left_.contains(arc.edge->value)) return "moved";
    return after_.contains({arc.edge->consumer, arc.edge->slot}) ? action_of(arc) : "removed";
  }
  [[nodiscard]] std::string_view fate_after(const GraphView::Arc& arc) const {
    const std::string_view action = action_of(arc);
    return action != "kept" || before_.contains({arc.edge->consumer, arc.edge->slot}) ? action : "added";
  }

  std::set<Slot> before_, after_;
  std::map<std::string, std::string> actions_;
  std::set<std::string> left_;  // values whose pair moved away
};

}  // namespace

std::string drawing_markup(const document::RepairedGraphs& graphs) {
  const RepairReport& report = *graphs.report;
  GraphView before = view_graph(report.before.plan, report.before.findings);
  GraphView after = view_graph(report.lint.plan, report.lint.findings);
  if (before.nodes.empty() || after.nodes.empty()) return {};
  after.first = before.nodes.size();
  const PairFates fates(report);
  fates.mark(before, false);
  fates.mark(after, true);
  const bool drawn = before.nodes.size() + after.nodes.size() <= kMostDrawn;
  const auto figure_of = [](const char* title, const GraphView& view) {
    return "<figure><figcaption>" + std::string(title) + "</figcaption>" + drawing(view) + "</figure>";
  };
  const std::string drawings = key({&before, &after}) + "<div class=\"beside\">" + figure_of("Before", before) +
                               figure_of("After", after) + "</div>";
  return std::string("<p class=\"lead\">") +
         (drawn ? "Pairs are marked by what becomes of them. Choose a node to see its reason and its pairs; the other "
                  "drawing scrolls to the same node."
                : "Too large to draw; the lists have every node.") +
         "</p>" + (drawn ? drawings : std::string()) + graph_list(before, "before") + graph_list(after, "after");
}

}  // namespace detent::html
