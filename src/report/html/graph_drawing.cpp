#include "report/html/graph_drawing.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "report/html/axis.h"
#include "report/html/graph_layout.h"
#include "report/html/parts.h"

namespace detent::html {
namespace {

constexpr size_t kShownCharacters = 28;  // of a name, 6 pixels each
constexpr size_t kLineCharacters = 23;   // of the line above it

std::string number(double length) { return fmt::format("{:.4g}", std::abs(length) < 0.05 ? 0.0 : length); }

std::string path(const GraphLayout::Line& line) {
  const std::string middle = fmt::format("{:.0f}", (line.y + line.to_y) / 2);
  std::string text = fmt::format("M{:.0f} {:.0f}", line.x, line.y);
  text += fmt::format("C{:.0f} {} {:.0f} {} {:.0f} {:.0f}", line.x, middle, line.to_x, middle, line.to_x, line.to_y);
  if (line.end > line.to_y) text += fmt::format("V{:.0f}", line.end);
  return text;
}

/// Returns the first byte of character `count` from the front or the back; npos where there are fewer.
size_t character_at(const std::string& text, size_t count, bool from_back) {
  size_t found = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t at = from_back ? text.size() - 1 - i : i;
    if ((static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) continue;  // inside a UTF-8 sequence
    if (++found == count) return at;
  }
  return std::string::npos;
}

/// Returns the last characters of a name, in which the names of a model differ.
std::string tail(const std::string& name) {
  const size_t at = character_at(name, kShownCharacters, true);
  return at == std::string::npos || at == 0 ? escape(name) : "\u2026" + escape(name.substr(at));
}

/// Returns an operator's name, cut to the room beside the other words of its line, about 7 pixels a character.
std::string graph_head(const std::string& op, size_t beside) {
  const size_t room = kLineCharacters - std::min(kLineCharacters - 4, beside);
  const size_t at = character_at(op, room, false);
  return character_at(op, room + 1, false) == std::string::npos ? escape(op) : escape(op.substr(0, at)) + "\u2026";
}

/// Returns "error" or "warning" for the worst finding of a node; "" without one.
std::string alarm(const GraphView::Node& node) {
  for (const char* level : {"error", "warning"})
    if (std::ranges::any_of(node.findings, [&](const auto* finding) { return finding->level == level; })) return level;
  return {};
}

/// The next node for each node and arrow key: up, down, left, right.
class Keys {
 public:
  Keys(const GraphView& view, const GraphLayout& layout)
      : layout_(layout), first_(view.first), next_(view.nodes.size()) {
    for (const auto& arc : view.arcs) take(arc.to, 0, arc.from), take(arc.from, 1, arc.to);
    std::vector<std::vector<size_t>> rows;
    for (size_t node = 0; node < view.nodes.size(); ++node) {
      rows.resize(std::max(rows.size(), layout.boxes[node].layer + 1));
      rows[layout.boxes[node].layer].push_back(node);
    }
    for (auto& row : rows) {
      std::ranges::sort(row, {}, [&](size_t node) { return layout.boxes[node].place; });
      for (size_t i = 1; i < row.size(); ++i) next_[row[i]][2] = row[i - 1] + 1, next_[row[i - 1]][3] = row[i] + 1;
    }
  }

  [[nodiscard]] std::string attribute(size_t node) const {
    std::string text = " data-keys=\"";
    for (size_t i = 0; i < 4; ++i) {
      if (i > 0) text += ",";
      if (next_[node][i] > 0) text += std::to_string(first_ + next_[node][i] - 1);
    }
    return text + "\"";
  }

 private:
  /// Keeps the horizontally nearest node, of equals the first.
  void take(size_t node, size_t key, size_t other) {
    const auto distance = [&](size_t to) { return std::abs(layout_.boxes[to].x - layout_.boxes[node].x); };
    size_t& next = next_[node][key];
    if (next == 0 || distance(other) < distance(next - 1)) next = other + 1;
  }

  const GraphLayout& layout_;
  size_t first_;
  std::vector<std::array<size_t, 4>> next_;  // the node + 1; 0: none
};

std::string box(const GraphView& view, const GraphLayout& layout, const Keys& keys, size_t index) {
  const GraphView::Node& node = view.nodes[index];
  const auto& at = layout.boxes[index];
  const std::string level = alarm(node);
  const std::string id = std::to_string(view.first + index), word = view.word(node.type);
  const std::string said = escape(node.op) + " " + escape(node.name) + (word.empty() ? "" : ", " + word) +
                           (level.empty() ? "" : ", " + level);
  return "<a id=\"box-" + id + "\" href=\"#node-" + id + "\" class=\"" + type_class(node.type) +
         (level.empty() ? level : std::string(" ") + level_colour(level)) + "\" tabindex=\"-1\" aria-label=\"" + said +
         "\"" + keys.attribute(index) + " transform=\"translate(" + number(at.x) + " " + fmt::format("{:.0f}", at.y) +
         ")\"><title>" + said + "</title><rect width=\"" + number(GraphLayout::kBoxWidth) + "\" height=\"" +
         number(GraphLayout::kBoxHeight) + "\" rx=\"5\"/><text x=\"9\" y=\"16\">" +
         graph_head(node.op, word.size() + (level.empty() ? 0 : level.size() + 1)) +
         (level.empty() ? level : " <tspan class=\"alarm\">" + level + "</tspan>") +
         "</text><text class=\"word\" x=\"187\" y=\"16\" text-anchor=\"end\">" + word +
         "</text><text class=\"name\" x=\"9\" y=\"30\">" + tail(node.name) + "</text></a>\n";
}

/// The look of a pair by its fate; the first one stands outside of repairs.
struct PairLook {
  std::string_view fate;
  const char *letter, *meaning;
};
constexpr PairLook kPairLooks[] = {{"", "Q", "pair: QuantizeLinear and DequantizeLinear"},
                                   {"kept", "Q", "pair, kept"},
                                   {"moved", "M", "pair, moved"},
                                   {"removed", "\u2212", "pair, removed"},
                                   {"added", "+", "pair, added"}};

/// Returns "pair added"; "pair" outside of repairs.
std::string with_fate(const std::string& word, std::string_view fate) {
  return fate.empty() ? word : word + " " + std::string(fate);
}

const PairLook& look_of(std::string_view fate) { return *std::ranges::find(kPairLooks, fate, &PairLook::fate); }

/// Draws a letter for a pair and C for a cast, where the arc enters the box that reads.
std::string marks(const GraphView& view, const GraphView::Arc& arc, const GraphLayout::Arc& drawn) {
  std::string svg;
  double y = drawn.line.to_y - 9;
  const auto mark = [&](const char* kind, const char* letter, const std::string& said) {
    svg += "<g class=\"mark " + std::string(kind) + "\"><title>" + said + "</title><circle cx=\"" +
           number(drawn.line.to_x) + "\" cy=\"" + number(y) + "\" r=\"7\"/><text x=\"" + number(drawn.line.to_x) +
           "\" y=\"" + number(y + 3.5) + "\">" + letter + "</text></g>";
    y -= 15;
  };
  const std::string fate(arc.fate);
  if (arc.edge && is_pair(arc.edge->reads))
    mark(with_fate("pair", fate).c_str(), look_of(fate).letter,
         "Pair on " + escape(arc.value) + (fate.empty() ? fate : ", " + fate) + ": " + escape(arc.edge->reason));
  if (arc.cast) mark("cast", "C", "Cast to " + view.word(arc.cast));
  return svg;
}

/// Lists what a node reads, with pairs, casts and reasons.
std::string readings(const GraphView& view, size_t first, size_t end) {
  std::string items;
  for (size_t i = first; i < end; ++i) {
    const auto& arc = view.arcs[i];
    items += "<li><a href=\"#node-" + std::to_string(view.first + arc.from) + "\">" + name_markup(arc.value) + "</a> " +
             (arc.edge && is_pair(arc.edge->reads) ? tag(with_fate("pair", arc.fate), "int8") : tag("no pair")) +
             (arc.cast ? " " + tag("cast to " + view.word(arc.cast)) : std::string()) +
             (arc.edge ? why(arc.edge->rule, arc.edge->reason) : std::string()) + "</li>";
  }
  return items.empty() ? "" : "<ul>" + items + "</ul>";
}

}  // namespace

std::string drawing(const GraphView& view) {
  std::vector<GraphArc> arcs;
  for (const auto& arc : view.arcs) arcs.push_back({arc.from, arc.to});
  const GraphLayout layout = lay_out(view.nodes.size(), arcs);
  const Keys keys(view, layout);
  std::string plain, stubs, boxes;
  std::map<std::string_view, std::string> paired;  // by fate
  for (const auto& trunk : layout.trunks) plain += path(trunk);
  std::set<size_t> cut;
  for (size_t i = 0; i < arcs.size(); ++i) {
    const auto& arc = view.arcs[i];
    std::string& lines = layout.arcs[i].cut ? stubs : arc.edge && is_pair(arc.edge->reads) ? paired[arc.fate] : plain;
    lines += path(layout.arcs[i].line);
    if (!layout.arcs[i].cut || !cut.insert(arc.from).second) continue;
    const auto& from = layout.boxes[arc.from];
    stubs += fmt::format("M{:.0f} {:.0f}v16", from.x + GraphLayout::kBoxWidth / 2, from.y + GraphLayout::kBoxHeight);
  }
  for (size_t i = 0; i < view.nodes.size(); ++i) boxes += box(view, layout, keys, i);
  for (size_t i = 0; i < arcs.size(); ++i) boxes += marks(view, view.arcs[i], layout.arcs[i]);
  std::string pairs;
  for (const auto& [fate, lines] : paired)
    pairs += "<path class=\"arcs " + with_fate("paired", fate) + "\" d=\"" + lines + "\"/>";
  const std::string width = fmt::format("{:.0f}", layout.width), height = fmt::format("{:.0f}", layout.height);
  return "<div class=\"drawing\" role=\"region\" tabindex=\"0\" aria-label=\"Drawing of the graph; the list below says "
         "the same\"><svg width=\"" +
         width + "\" height=\"" + height + "\" role=\"group\" aria-label=\"" + plural(view.nodes.size(), "node") +
         " from inputs to outputs\"><path class=\"arcs\" d=\"" + plain + "\"/>" + pairs +
         (stubs.empty() ? "" : "<path class=\"arcs cut\" d=\"" + stubs + "\"/>") + boxes + "</svg></div>";
}

std::string graph_list(const GraphView& view, const std::string& beside) {
  Table table{{{"Node", Kind::Name}, {"Computes in", Kind::Words}, {"Reads", Kind::Plain}}};
  size_t arc = 0;
  for (size_t i = 0; i < view.nodes.size(); ++i) {
    const auto& node = view.nodes[i];
    const size_t first = arc;
    while (arc < view.arcs.size() && view.arcs[arc].to == i) ++arc;
    std::string name = node_name(node.name, node.op);
    if (node.layer) name += why(node.layer->rule, node.layer->reason);
    for (const auto* finding : node.findings)
      name += "<p class=\"reason\"><strong class=\"" + std::string(level_colour(finding->level)) + "\">" +
              escape(finding->level) + "</strong> " + escape(finding->id) + ": " + escape(finding->message) + "</p>";
    const std::string type = node.type ? view.word(node.type) : "\u2013";
    table.rows.push_back(
        {.cells = {{name}, {"<td>" + tag(type, type_class(node.type)) + "</td>"}, {readings(view, first, arc)}},
         .attributes = " id=\"node-" + std::to_string(view.first + i) + "\""});
  }
  const std::string id = beside.empty() ? beside : "-" + beside;
  return folded("graph" + id,
                "The graph" + (beside.empty() ? beside : " " + beside) +
                    " as a list: " + plural(view.nodes.size(), "node") + " in execution order, inputs first",
                searchable(table, "graph-nodes" + id, "Search nodes"));
}

std::string key(const std::vector<const GraphView*>& views) {
  std::string html;
  std::set<NodeType> types;
  std::set<std::string_view> fates;
  bool casts = false;
  for (const GraphView* view : views) {
    for (const auto& node : view->nodes)
      if (node.type) types.insert(*node.type);
    for (const auto& arc : view->arcs) {
      if (arc.edge && is_pair(arc.edge->reads)) fates.insert(arc.fate);
      casts |= arc.cast.has_value();
    }
  }
  for (const NodeType type : types)
    html += "<span><svg width=\"18\" height=\"12\" class=\"swatch " + type_class(type) +
            "\"><rect x=\"1\" y=\"1\" width=\"16\" height=\"10\" rx=\"3\"/></svg>" + views.front()->word(type) +
            "</span>";
  const auto mark = [](const std::string& kind, const char* letter, const char* text) {
    return "<span><svg width=\"14\" height=\"14\"><g class=\"mark " + kind +
           "\"><circle cx=\"7\" cy=\"7\" r=\"7\"/><text x=\"7\" y=\"10.5\">" + letter + "</text></g></svg>" + text +
           "</span>";
  };
  for (const PairLook& look : kPairLooks)
    if (fates.contains(look.fate)) html += mark(with_fate("pair", look.fate), look.letter, look.meaning);
  if (casts) html += mark("cast", "C", "cast between float types");
  return chart_key(html);
}

}  // namespace detent::html
