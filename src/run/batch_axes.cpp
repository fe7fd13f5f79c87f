#include "run/batch_axes.h"

#include <algorithm>
#include <optional>
#include <set>

#include "core/parse.h"
#include "detent/error.h"
#include "run/batch_symbol.h"
#include "run/batch_trials.h"

namespace detent {

namespace {

struct NamedAxis {
  size_t input;
  int axis;
};

NamedAxis parse_named_axis(const Graph& graph, const std::string& text) {
  const size_t equals = text.rfind('=');
  const std::string axis = equals == std::string::npos ? "" : text.substr(equals + 1);
  const int number = parse_number<int>(axis).value_or(-1);
  const bool is_number = number >= 0;
  if (equals == 0 || (!is_number && axis != "none"))
    throw Error(ErrorCode::Usage, "--batch-axis: '" + text + "' is not INPUT=AXIS or INPUT=none", "such as h0=1");
  const std::string name = text.substr(0, equals);
  std::string known;
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    const Value& value = graph.value(graph.inputs()[i]);
    known += (known.empty() ? "'" : ", '") + value.name + "'";
    if (value.name != name) continue;
    const size_t rank = value.declared_shape ? value.declared_shape->size() : 0;
    if (is_number && static_cast<size_t>(number) >= rank)
      throw Error(ErrorCode::InvalidOption,
                  "--batch-axis " + text + ": the input has " + std::to_string(rank) + " axes, counted from 0");
    return {i, is_number ? number : kNoBatchAxis};
  }
  throw Error(ErrorCode::InvalidOption,
              "--batch-axis " + text + ": the model has no input '" + name + "'; its inputs are " + known);
}

class AxisFinder {
 public:
  explicit AxisFinder(const Graph& graph) : graph_(graph), axes_(graph.inputs().size()) {
    for (const ValueId id : graph.inputs())
      shapes_.push_back(graph.value(id).declared_shape.value_or(std::vector<int64_t>{}));
  }

  std::vector<int> run(std::span<const std::string> named) {
    for (const std::string& text : named) take(parse_named_axis(graph_, text));
    take_symbol(symbol_.empty() ? batch_symbol(graph_) : symbol_);
    if (!take_fixed_batch()) {
      take_fronts();
      const std::vector<size_t> states = take_single_open_axes();
      prefer_what_runs(states);
      take_single_ones();
    }
    std::vector<int> found;
    for (const std::optional<int>& axis : axes_) found.push_back(axis.value_or(kNoBatchAxis));
    return found;
  }

 private:
  [[nodiscard]] const Value& input(size_t i) const { return graph_.value(graph_.inputs()[i]); }

  void take(const NamedAxis& named) {
    axes_[named.input] = named.axis;
    if (named.axis != kNoBatchAxis && symbol_.empty())
      symbol_ = input(named.input).symbols[static_cast<size_t>(named.axis)];
  }

  void take_symbol(const std::string& symbol) {
    symbol_ = symbol;
    for (size_t i = 0; i < axes_.size(); ++i)
      if (const int axis = axis_of_symbol(input(i), symbol); axis >= 0 && !axes_[i]) axes_[i] = axis;
    // What else inputs with a batch call their extents is no batch.
    for (size_t i = 0; i < axes_.size(); ++i)
      if (axis_of_symbol(input(i), symbol) >= 0)
        for (const std::string& other : input(i).symbols)
          if (other != symbol) others_.insert(other);
    others_.erase("");
  }

  [[nodiscard]] bool may_count(size_t i, size_t axis) const {
    const std::string& symbol = input(i).symbols[axis];
    return shapes_[i][axis] < 0 && !others_.contains(symbol);
  }

  /// True when `i` is not the only input with an open batch.
  [[nodiscard]] bool another_batch_is_open(size_t i) const {
    for (size_t k = 0; k < axes_.size(); ++k)
      if (k != i && axes_[k].value_or(kNoBatchAxis) >= 0 && shapes_[k][static_cast<size_t>(*axes_[k])] < 0) return true;
    return false;
  }

  void take_fronts() {
    for (size_t i = 0; i < axes_.size(); ++i)
      if (!axes_[i] && !shapes_[i].empty() && (shapes_[i][0] == 1 || (shapes_[i].size() > 1 && may_count(i, 0))))
        axes_[i] = 0;
  }

  /// Behind a fixed front the only extent of 1, as in states [layers, 1, hidden], beside an input with a batch.
  void take_single_ones() {
    const bool batched = std::ranges::any_of(axes_, [](const auto& axis) { return axis.value_or(kNoBatchAxis) >= 0; });
    for (size_t i = 0; i < axes_.size(); ++i)
      if (batched && !axes_[i] && std::ranges::count(shapes_[i], 1) == 1)
        axes_[i] = static_cast<int>(std::ranges::find(shapes_[i], 1) - shapes_[i].begin());
  }

  /// Inputs whose fixed front leaves one open axis.
  std::vector<size_t> take_single_open_axes() {
    std::vector<size_t> taken;
    for (size_t i = 0; i < axes_.size(); ++i) {
      if (axes_[i] || shapes_[i].empty() || !another_batch_is_open(i)) continue;
      if (shapes_[i].size() > 1 && is_named_batch(symbol_)) continue;  // its batch would be called so too
      std::vector<int> open;
      for (size_t axis = 0; axis < shapes_[i].size(); ++axis)
        if (may_count(i, axis)) open.push_back(static_cast<int>(axis));
      if (open.size() != 1) continue;
      axes_[i] = open.front();
      taken.push_back(i);
    }
    return taken;
  }

  /// Beside states whose batch is clear, an input [?, ?, ...] may count steps in front of samples.
  void prefer_what_runs(const std::vector<size_t>& states) {
    if (states.empty() || !symbol_.empty()) return;
    std::vector<int> fronts, behind;
    bool doubt = false;
    for (size_t i = 0; i < axes_.size(); ++i) {
      const bool either = axes_[i] == 0 && shapes_[i].size() > 2 && shapes_[i][0] < 0 && shapes_[i][1] < 0;
      doubt = doubt || either;
      fronts.push_back(axes_[i].value_or(kNoBatchAxis));
      behind.push_back(either ? 1 : fronts.back());
    }
    if (!doubt || runs_on_two_samples(graph_, fronts) || !runs_on_two_samples(graph_, behind)) return;
    for (size_t i = 0; i < axes_.size(); ++i)
      if (behind[i] != kNoBatchAxis) axes_[i] = behind[i];
  }

  /// An extent above 1 that every input which is no scalar has, in front where it can.
  bool take_fixed_batch() {
    if (!symbol_.empty()) return false;
    for (size_t first = 0; first < shapes_.size(); ++first) {
      if (shapes_[first].empty() || axes_[first] == kNoBatchAxis) continue;
      const int64_t batch = shapes_[first][static_cast<size_t>(axes_[first].value_or(0))];
      if (batch < 2) continue;
      for (const std::vector<int>& axes : axes_of_extent(batch)) {
        if (!keeps_samples_apart(graph_, axes, batch) && !looks_like_batch(batch)) continue;
        for (size_t i = 0; i < axes_.size(); ++i) axes_[i] = axes[i];
        return true;
      }
    }
    return false;
  }

  /// The ways to choose an axis of this extent in every input that is no scalar, axes in front first; none where an input has none.
  [[nodiscard]] std::vector<std::vector<int>> axes_of_extent(int64_t batch) const {
    constexpr size_t kMostWays = 16;  // each costs two runs of the model
    std::vector<std::vector<int>> ways{{}};
    for (size_t i = 0; i < shapes_.size(); ++i) {
      std::vector<int> choices;
      for (size_t axis = 0; axis < shapes_[i].size() && !axes_[i]; ++axis)
        if (shapes_[i][axis] == batch) choices.push_back(static_cast<int>(axis));
      if (axes_[i] || shapes_[i].empty()) choices = {axes_[i].value_or(kNoBatchAxis)};
      std::vector<std::vector<int>> longer;
      for (const std::vector<int>& way : ways)
        for (const int axis : choices) {
          longer.push_back(way);
          longer.back().push_back(axis);
        }
      longer.resize(std::min(longer.size(), kMostWays));
      ways = std::move(longer);
    }
    return ways;
  }

  /// Where a size is open no trial can be made: images and volumes whose outputs have the same front.
  [[nodiscard]] bool looks_like_batch(int64_t batch) const {
    const auto leads = [batch](const std::vector<int64_t>& shape) { return !shape.empty() && shape[0] == batch; };
    bool open = false;
    for (const auto& shape : shapes_) {
      if (!leads(shape) || shape.size() < 4) return false;
      open = open || std::ranges::any_of(shape, [](int64_t extent) { return extent < 0; });
    }
    return open && std::ranges::all_of(graph_.outputs(), [&](ValueId id) {
             const auto& shape = graph_.value(id).declared_shape;
             return !shape || leads(*shape);
           });
  }

  const Graph& graph_;
  std::vector<std::vector<int64_t>> shapes_;
  std::vector<std::optional<int>> axes_;
  std::string symbol_;
  std::set<std::string> others_;
};

}  // namespace

std::vector<int> find_batch_axes(const Graph& graph, std::span<const std::string> named) {
  return AxisFinder(graph).run(named);
}

std::vector<bool> inputs_with_named_axis(const Graph& graph, std::span<const std::string> named) {
  std::vector<bool> found(graph.inputs().size(), false);
  for (const std::string& text : named) found[parse_named_axis(graph, text).input] = true;
  return found;
}

}  // namespace detent
