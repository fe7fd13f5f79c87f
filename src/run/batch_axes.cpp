#include "run/batch_axes.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/index.h"
#include "detent/base/data_source.h"
#include "detent/base/error.h"
#include "model/graph/graph.h"
#include "run/batch_trials.h"

namespace detent {

namespace {

/// Returns the axis of `value` that carries the symbol; -1 for none.
int axis_of_symbol(const Value& value, const std::string& symbol) {
  const auto found = std::ranges::find(value.symbols, symbol);
  return symbol.empty() || found == value.symbols.end() ? -1 : static_cast<int>(found - value.symbols.begin());
}

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Returns 2 for a name that contains "batch", 1 for a usual letter for it, 0 for others.
int likeness(const std::string& symbol) {
  const std::string name = lower_case(symbol);
  if (name.find("batch") != std::string::npos) return 2;
  return name == "b" || name == "bs" || name == "n" ? 1 : 0;
}

struct Sightings {
  int inputs = 0, outputs = 0;
  int lowest_axis = 1 << 20;
};

std::map<std::string, Sightings> sightings_of(const Graph& graph) {
  std::map<std::string, Sightings> found;
  const auto symbols_of = [&](ValueId id) {
    const auto& symbols = graph.value(id).symbols;
    std::set<std::string> distinct(symbols.begin(), symbols.end());
    distinct.erase("");
    return distinct;
  };
  for (const ValueId input : graph.inputs())
    for (const std::string& symbol : symbols_of(input)) {
      Sightings& seen = found[symbol];
      ++seen.inputs;
      seen.lowest_axis = std::min(seen.lowest_axis, axis_of_symbol(graph.value(input), symbol));
    }
  for (const ValueId output : graph.outputs())
    for (const std::string& symbol : symbols_of(output))
      if (const auto seen = found.find(symbol); seen != found.end()) ++seen->second.outputs;
  return found;
}

/// True when the symbol may be the front of some input: it is, or that front is fixed above 1 or shared by fewer
/// inputs.
bool may_lead(const Graph& graph, const std::string& symbol, const std::map<std::string, Sightings>& all) {
  return std::ranges::any_of(graph.inputs(), [&](ValueId id) {
    const Value& value = graph.value(id);
    const int axis = axis_of_symbol(value, symbol);
    if (axis <= 0) return axis == 0;
    const std::string& front = value.symbols.front();
    return front.empty() ? value.declared_shape->front() > 1 : all.at(front).inputs < all.at(symbol).inputs;
  });
}

/// True when the name itself says that it counts samples: it holds "batch", or is b, bs or n.
bool is_named_batch(const std::string& symbol) { return likeness(symbol) > 0; }

/// Returns the name of the model's batch: the symbolic extent of its inputs with such a name ("batch_size", "N" in
/// front), otherwise the one that most inputs share; of several the one that most outputs share, or on the lowest axis.
/// "" where names do not tell: none is shared, or all inputs that share it have a fixed batch of 1 in front (["1",
/// "tokens"] twice).
std::string batch_symbol(const Graph& graph) {
  const auto all = sightings_of(graph);
  std::string best;
  std::tuple<int, int, int, int> best_score{};
  for (const auto& [symbol, seen] : all) {
    const int like = likeness(symbol);
    const bool shared = seen.inputs > 1 && may_lead(graph, symbol, all);
    const bool fits = like == 2 || (like == 1 && seen.lowest_axis <= 1 && may_lead(graph, symbol, all)) || shared;
    const std::tuple score{like, seen.inputs, seen.outputs, -seen.lowest_axis};
    if (!fits || (!best.empty() && score <= best_score)) continue;
    best = symbol;
    best_score = score;
  }
  return best;
}

/// Finds the input that the user named. Errors  InvalidOption, also for an axis that it does not have.
size_t find_named(const Graph& graph, const NamedAxis& named) {
  std::string known;
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    const Value& value = graph.value(graph.inputs()[i]);
    known += (known.empty() ? "'" : ", '") + value.name + "'";
    if (value.name != named.input) continue;
    const size_t rank = value.declared_shape ? value.declared_shape->size() : 0;
    if (named.axis != kNoBatchAxis && as_index(named.axis) >= rank)
      throw Error(ErrorCode::InvalidOption,
                  "--batch-axis " + named.text + ": the input has " + std::to_string(rank) + " axes, counted from 0");
    return i;
  }
  throw Error(ErrorCode::InvalidOption,
              "--batch-axis " + named.text + ": the model has no input '" + named.input + "'; its inputs are " + known);
}

class AxisFinder {
 public:
  explicit AxisFinder(const Graph& graph) : graph_(graph), axes_(graph.inputs().size()) {
    for (const ValueId id : graph.inputs())
      shapes_.push_back(graph.value(id).declared_shape.value_or(std::vector<int64_t>{}));
  }

  std::vector<int> run(std::span<const NamedAxis> named) {
    for (const NamedAxis& one : named) take(find_named(graph_, one), one.axis);
    take_symbol(symbol_.empty() ? batch_symbol(graph_) : symbol_);
    if (!take_fixed_batch()) {
      take_fronts();
      const std::vector<size_t> states = take_single_open_axes();
      prefer_what_runs(states);
      take_single_ones();
      if (!is_given_) drop_open_axes();
    }
    std::vector<int> found;
    for (const std::optional<int>& axis : axes_) found.push_back(axis.value_or(kNoBatchAxis));
    return found;
  }

 private:
  [[nodiscard]] const Value& input(size_t i) const { return graph_.value(graph_.inputs()[i]); }

  void take(size_t named, int axis) {
    axes_[named] = axis;
    is_given_ = is_given_ || axis != kNoBatchAxis;
    if (axis != kNoBatchAxis && symbol_.empty()) symbol_ = input(named).symbols[as_index(axis)];
  }

  void take_symbol(const std::string& symbol) {
    symbol_ = symbol;
    for (size_t i = 0; i < axes_.size(); ++i)
      if (const int axis = axis_of_symbol(input(i), symbol); axis >= 0 && !axes_[i]) axes_[i] = axis;
    // Other names of extents of inputs with a batch are no batch.
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
      if (k != i && axes_[k].value_or(kNoBatchAxis) >= 0 && shapes_[k][as_index(*axes_[k])] < 0) return true;
    return false;
  }

  void take_fronts() {
    for (size_t i = 0; i < axes_.size(); ++i)
      if (!axes_[i] && !shapes_[i].empty() && (shapes_[i][0] == 1 || (shapes_[i].size() > 1 && may_count(i, 0))))
        axes_[i] = 0;
  }

  /// Takes the only extent of 1 behind a fixed front, as in states [layers, 1, hidden], beside an input with a batch.
  void take_single_ones() {
    const bool batched = std::ranges::any_of(axes_, [](const auto& axis) { return axis.value_or(kNoBatchAxis) >= 0; });
    for (size_t i = 0; i < axes_.size(); ++i)
      if (batched && !axes_[i] && std::ranges::count(shapes_[i], 1) == 1)
        axes_[i] = static_cast<int>(std::ranges::find(shapes_[i], 1) - shapes_[i].begin());
  }

  /// Takes the axis of inputs whose fixed front leaves one open axis; returns them.
  std::vector<size_t> take_single_open_axes() {
    std::vector<size_t> taken;
    for (size_t i = 0; i < axes_.size(); ++i) {
      if (axes_[i] || shapes_[i].empty() || !another_batch_is_open(i)) continue;
      if (shapes_[i].size() > 1 && is_named_batch(symbol_)) continue;  // its batch would have that name too
      std::vector<int> open;
      for (size_t axis = 0; axis < shapes_[i].size(); ++axis)
        if (may_count(i, axis)) open.push_back(static_cast<int>(axis));
      if (open.size() != 1) continue;
      axes_[i] = open.front();
      taken.push_back(i);
    }
    return taken;
  }

  /// Prefers the reading that runs: beside states whose batch is clear, an input [?, ?, ...] may count steps in front
  /// of samples.
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

  /// Takes back open axes where trials show that they count parts of one sample: points, nodes, time steps. Without
  /// inputs of rank 3 or less there is no doubt: parts of samples are rarely images.
  void drop_open_axes() {
    std::vector<int> open;
    bool doubt = false;
    for (size_t i = 0; i < axes_.size(); ++i) {
      const int axis = axes_[i].value_or(kNoBatchAxis);
      open.push_back(axis >= 0 && shapes_[i][as_index(axis)] < 0 ? axis : kNoBatchAxis);
      doubt = doubt || (open.back() >= 0 && shapes_[i].size() <= 3);
    }
    if (!doubt || !count_parts_of_a_sample(graph_, open, likeness(symbol_) == 2)) return;
    for (size_t i = 0; i < axes_.size(); ++i)
      if (open[i] >= 0) axes_[i] = kNoBatchAxis;
  }

  /// Takes an extent above 1 that every input except scalars has, in front where possible.
  bool take_fixed_batch() {
    if (!symbol_.empty()) return false;
    for (size_t first = 0; first < shapes_.size(); ++first) {
      if (shapes_[first].empty() || axes_[first] == kNoBatchAxis) continue;
      const int64_t batch = shapes_[first][as_index(axes_[first].value_or(0))];
      if (batch < 2) continue;
      for (const std::vector<int>& axes : axes_of_extent(batch)) {
        if (!keeps_samples_apart(graph_, axes, batch) && !looks_like_batch(batch)) continue;
        for (size_t i = 0; i < axes_.size(); ++i) axes_[i] = axes[i];
        return true;
      }
    }
    return false;
  }

  /// Returns the ways to choose an axis of this extent in every input except scalars, axes in front first; none where
  /// an input has no such axis.
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

  /// True for images and volumes whose outputs have the same front, where an open size prevents a trial.
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
  bool is_given_ = false;  // the user named an axis
};

}  // namespace

std::vector<int> find_batch_axes(const Graph& graph, std::span<const NamedAxis> named) {
  return AxisFinder(graph).run(named);
}

bool names_its_batch(const Graph& graph) { return likeness(batch_symbol(graph)) == 2; }

}  // namespace detent
