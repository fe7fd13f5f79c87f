#include "report/html/graph_layout.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace detent::html {
namespace {

constexpr size_t kNoBox = std::numeric_limits<size_t>::max();
constexpr double kGap = 22, kLayoutMargin = 12, kWaypointWidth = 8, kStub = 16;
constexpr int kOrderSweeps = 6, kPlaceSweeps = 12;  // more change little on networks of 40 to 520 nodes

/// Vertices in layers: the nodes, followed by the waypoints where long arcs cross layers.
class Layering {
 public:
  Layering(size_t nodes, std::span<const GraphArc> arcs) : nodes_(nodes), arcs_(arcs), layer_(nodes, 0) {
    find_layers();
    find_longest_span();
    add_waypoints();
    order_layers();
    place();
  }

  [[nodiscard]] GraphLayout drawing() const;

 private:
  using Neighbours = std::vector<std::vector<size_t>>;

  [[nodiscard]] size_t span(const GraphArc& arc) const { return layer_[arc.to] - layer_[arc.from]; }
  [[nodiscard]] bool is_cut(const GraphArc& arc) const { return span(arc) > longest_; }
  [[nodiscard]] double width(size_t vertex) const { return vertex < nodes_ ? GraphLayout::kBoxWidth : kWaypointWidth; }
  void find_layers();
  void find_longest_span();
  [[nodiscard]] std::vector<size_t> reaches(size_t longest) const;
  void add_waypoints();
  void order_layers();
  void place();
  void place_layer(const std::vector<size_t>& layer, const std::vector<double>& wanted);
  [[nodiscard]] double mean_x(size_t vertex, bool above, bool below) const;
  [[nodiscard]] double top(size_t layer) const {
    return kLayoutMargin + static_cast<double>(layer) * GraphLayout::kLayerHeight;
  }

  size_t nodes_;
  std::span<const GraphArc> arcs_;
  std::vector<size_t> layer_;  // by vertex
  size_t longest_ = kNoBox;    // layers that an arc may span before it is cut
  std::vector<size_t> last_;   // by arc: the vertex before the reader; kNoBox: cut
  Neighbours above_, below_;   // by vertex
  Neighbours rows_;            // by layer, vertices from the left
  std::vector<double> x_;      // by vertex, of its middle
};

void Layering::find_layers() {
  std::vector<bool> reads(nodes_, false);
  for (const GraphArc& arc : arcs_) reads[arc.to] = true;
  std::vector<GraphArc> sorted(arcs_.begin(), arcs_.end());
  std::ranges::stable_sort(sorted, {}, &GraphArc::to);
  for (const GraphArc& arc : sorted) layer_[arc.to] = std::max(layer_[arc.to], layer_[arc.from] + 1);
  std::vector<size_t> first_reader(nodes_, kNoBox);
  for (const GraphArc& arc : arcs_) first_reader[arc.from] = std::min(first_reader[arc.from], layer_[arc.to]);
  for (size_t node = 0; node < nodes_; ++node)
    if (!reads[node] && first_reader[node] != kNoBox) layer_[node] = first_reader[node] - 1;
}

/// Returns for each node the last layer that one of its arcs reaches.
std::vector<size_t> Layering::reaches(size_t longest) const {
  std::vector<size_t> reach(layer_.begin(), layer_.begin() + static_cast<std::ptrdiff_t>(nodes_));
  for (const GraphArc& arc : arcs_)
    if (span(arc) <= longest) reach[arc.from] = std::max(reach[arc.from], layer_[arc.to]);
  return reach;
}

void Layering::find_longest_span() {
  const size_t bound = 40 * nodes_ + 1000;
  for (const size_t longest : {kNoBox, size_t{400}, size_t{200}, size_t{100}, size_t{50}, size_t{25}}) {
    longest_ = longest;
    const std::vector<size_t> reach = reaches(longest);
    size_t waypoints = 0;
    for (size_t node = 0; node < nodes_; ++node) waypoints += reach[node] - layer_[node];
    if (waypoints <= bound) return;
  }
}

void Layering::add_waypoints() {
  const std::vector<size_t> reach = reaches(longest_);
  std::vector<size_t> first(nodes_, kNoBox);
  above_.resize(nodes_), below_.resize(nodes_);
  for (size_t node = 0; node < nodes_; ++node) {
    size_t before = node;
    for (size_t layer = layer_[node] + 1; layer < reach[node]; ++layer) {
      const size_t waypoint = layer_.size();
      if (first[node] == kNoBox) first[node] = waypoint;
      layer_.push_back(layer);
      above_.push_back({before}), below_.emplace_back();
      below_[before].push_back(waypoint);
      before = waypoint;
    }
  }
  for (const GraphArc& arc : arcs_) {
    last_.push_back(is_cut(arc) ? kNoBox : span(arc) == 1 ? arc.from : first[arc.from] + span(arc) - 2);
    if (last_.back() == kNoBox) continue;
    above_[arc.to].push_back(last_.back());
    below_[last_.back()].push_back(arc.to);
  }
}

void Layering::order_layers() {
  rows_.resize(layer_.empty() ? 0 : *std::ranges::max_element(layer_) + 1);
  for (size_t vertex = 0; vertex < layer_.size(); ++vertex) rows_[layer_[vertex]].push_back(vertex);
  std::vector<double> at(layer_.size(), 0), key(layer_.size(), 0);
  const auto number = [&](const std::vector<size_t>& row) {
    for (size_t i = 0; i < row.size(); ++i) at[row[i]] = static_cast<double>(i) / static_cast<double>(row.size());
  };
  const auto order = [&](std::vector<size_t>& row, const Neighbours& neighbours) {
    for (const size_t vertex : row) {
      const auto& around = neighbours[vertex];
      double sum = 0;
      for (const size_t other : around) sum += at[other];
      key[vertex] = around.empty() ? at[vertex] : sum / static_cast<double>(around.size());
    }
    std::ranges::stable_sort(row, {}, [&](size_t vertex) { return key[vertex]; });
    number(row);
  };
  for (const auto& row : rows_) number(row);
  for (int sweep = 0; sweep < kOrderSweeps; ++sweep) {
    for (auto& row : rows_) order(row, above_);
    for (auto row = rows_.rbegin(); row != rows_.rend(); ++row) order(*row, below_);
  }
}

double Layering::mean_x(size_t vertex, bool above, bool below) const {
  double sum = 0;
  size_t count = 0;
  for (const auto* around : {above ? &above_[vertex] : nullptr, below ? &below_[vertex] : nullptr})
    if (around)
      for (const size_t other : *around) sum += x_[other], ++count;
  return count ? sum / static_cast<double>(count) : x_[vertex];
}

/// Places a layer near the wanted positions, as order and widths allow: the mean of packing it right and left.
void Layering::place_layer(const std::vector<size_t>& row, const std::vector<double>& wanted) {
  const auto distance = [&](size_t i) { return (width(row[i - 1]) + width(row[i])) / 2 + kGap; };
  std::vector<double> right = wanted, left = wanted;
  for (size_t i = 1; i < row.size(); ++i) right[i] = std::max(right[i], right[i - 1] + distance(i));
  for (size_t i = row.size(); i-- > 1;) left[i - 1] = std::min(left[i - 1], left[i] - distance(i));
  for (size_t i = 0; i < row.size(); ++i) x_[row[i]] = (right[i] + left[i]) / 2;
}

void Layering::place() {
  x_.assign(layer_.size(), 0);
  for (const auto& row : rows_) place_layer(row, std::vector<double>(row.size(), 0));
  const auto sweep = [&](const std::vector<size_t>& row, bool above, bool below) {
    std::vector<double> wanted;
    for (const size_t vertex : row) wanted.push_back(mean_x(vertex, above, below));
    place_layer(row, wanted);
  };
  for (int i = 0; i < kPlaceSweeps; ++i) {
    const bool both = i + 4 >= kPlaceSweeps;  // the last ones straighten
    for (const auto& row : rows_) sweep(row, true, both);
    for (auto row = rows_.rbegin(); row != rows_.rend(); ++row) sweep(*row, both, true);
  }
  if (x_.empty()) return;
  double low = std::numeric_limits<double>::infinity();
  for (size_t vertex = 0; vertex < x_.size(); ++vertex) low = std::min(low, x_[vertex] - width(vertex) / 2);
  for (double& x : x_) x += kLayoutMargin - low;
}

GraphLayout Layering::drawing() const {
  constexpr double kHalf = GraphLayout::kBoxWidth / 2, kHeight = GraphLayout::kBoxHeight;
  GraphLayout layout;
  layout.boxes.resize(nodes_), layout.arcs.resize(arcs_.size());
  for (const auto& row : rows_) {
    size_t place = 0;
    for (const size_t vertex : row) {
      layout.width = std::max(layout.width, x_[vertex] + width(vertex) / 2 + kLayoutMargin);
      if (vertex < nodes_) layout.boxes[vertex] = {x_[vertex] - kHalf, top(layer_[vertex]), layer_[vertex], place++};
    }
  }
  if (!rows_.empty()) layout.height = top(rows_.size() - 1) + kHeight + kLayoutMargin;
  for (size_t vertex = nodes_; vertex < layer_.size(); ++vertex) {
    const size_t before = above_[vertex][0];
    const double y = top(layer_[vertex]);
    layout.trunks.push_back({x_[before], top(layer_[before]) + kHeight, x_[vertex], y, y + kHeight});
  }
  // Arcs enter a box side by side, in the order of their origins.
  std::vector<std::vector<size_t>> entering(nodes_);
  for (size_t arc = 0; arc < arcs_.size(); ++arc) entering[arcs_[arc].to].push_back(arc);
  const auto comes_from = [&](size_t arc) { return last_[arc] == kNoBox ? x_[arcs_[arc].from] : x_[last_[arc]]; };
  for (size_t node = 0; node < nodes_; ++node) {
    auto& ports = entering[node];
    std::ranges::stable_sort(ports, {}, comes_from);
    const double step =
        std::min(28.0, (GraphLayout::kBoxWidth - 24) / static_cast<double>(std::max<size_t>(1, ports.size())));
    for (size_t i = 0; i < ports.size(); ++i) {
      const double x = x_[node] + step * (static_cast<double>(i) - static_cast<double>(ports.size() - 1) / 2);
      const double y = top(layer_[node]);
      const size_t last = last_[ports[i]];
      layout.arcs[ports[i]] = last == kNoBox
                                  ? GraphLayout::Arc{{x, y - kStub, x, y, y}, true}
                                  : GraphLayout::Arc{{x_[last], top(layer_[last]) + kHeight, x, y, y}, false};
    }
  }
  return layout;
}

}  // namespace

GraphLayout lay_out(size_t nodes, std::span<const GraphArc> arcs) { return Layering(nodes, arcs).drawing(); }

}  // namespace detent::html
