#include "run/batch_axes.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/index.h"
#include "core/parse.h"
#include "detent/base/data_source.h"
#include "detent/base/error.h"
#include "exec/executor.h"
#include "exec/runnable_part.h"
#include "model/graph/graph.h"

namespace detent {

namespace {

// Trials with zeros or random numbers tell what shapes do not; a model that cannot run them answers no.

/// The elements of a tensor as [outer, extent, bytes behind the axis].
struct Slices {
  Slices(const Shape& shape, size_t axis, size_t element)
      : outer(shape.element_count(0, axis)), extent(shape[axis]),
        bytes(as_index(shape.element_count(axis + 1, shape.rank())) * element) {}
  [[nodiscard]] size_t offset(int64_t o, int64_t slice) const { return as_index(o * extent + slice) * bytes; }
  int64_t outer, extent;
  size_t bytes;
};

/// Makes two different random samples of the whole declared shapes.
/// Errors  InvalidOption where a size is open.
std::vector<std::vector<Tensor>> random_inputs(const Graph& graph) {
  std::vector<InputSpec> specs;
  for (const ValueId id : graph.inputs()) {
    const Value& value = graph.value(id);
    specs.push_back({value.name, value.declared_type.value_or(DataType::Float32),
                     value.declared_shape.value_or(std::vector<int64_t>{}), kNoBatchAxis});
  }
  const auto source = open_data({.sources = {"random:normal,n=2"}}, specs);
  return {source->read(0).inputs, source->read(1).inputs};
}

/// Returns `inputs` with the first slice of each batch axis taken from `others`.
std::vector<Tensor> with_other_first_sample(const std::vector<Tensor>& inputs, const std::vector<Tensor>& others,
                                            std::span<const int> axes) {
  std::vector<Tensor> changed;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Tensor copy = inputs[i].clone();
    if (axes[i] != kNoBatchAxis) {
      const Slices slices(copy.shape(), as_index(axes[i]), byte_size(copy.type()));
      auto* to = static_cast<std::byte*>(copy.mutable_raw());
      const auto* from = static_cast<const std::byte*>(others[i].raw());
      for (int64_t o = 0; o < slices.outer; ++o)
        std::memcpy(to + slices.offset(o, 0), from + slices.offset(o, 0), slices.bytes);
    }
    changed.push_back(std::move(copy));
  }
  return changed;
}

bool is_same(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && std::memcmp(a.raw(), b.raw(), a.byte_count()) == 0;
}

/// True when both tensors have `batch` slices on this axis and agree in all except the first.
bool agree_behind_first(const Tensor& a, const Tensor& b, size_t axis, int64_t batch) {
  if (a.shape() != b.shape() || a.shape()[axis] != batch) return false;
  const Slices slices(a.shape(), axis, byte_size(a.type()));
  const auto* left = static_cast<const std::byte*>(a.raw());
  const auto* right = static_cast<const std::byte*>(b.raw());
  for (int64_t o = 0; o < slices.outer; ++o) {
    const size_t second = slices.offset(o, 1);
    if (std::memcmp(left + second, right + second, slices.bytes * as_index(batch - 1)) != 0) return false;
  }
  return true;
}

/// True when the model treats `batch` samples on these axes (one per input, kNoBatchAxis for none) separately: with the
/// first sample replaced, each output changes only in the first slice of an axis of that extent. All sizes are
/// declared.
bool keeps_samples_apart(const Graph& graph, std::span<const int> axes, int64_t batch) {
  try {
    const auto random = random_inputs(graph);
    const std::vector<ValueId> ends = RunnablePart(graph).ends();
    const auto before = run_once(graph, random[0], ends);
    const auto after = run_once(graph, with_other_first_sample(random[0], random[1], axes), ends);
    bool changed = false;
    for (size_t i = 0; i < ends.size(); ++i) {
      if (before[i].is_sequence() || is_same(before[i], after[i])) continue;
      changed = true;
      bool apart = false;
      for (size_t axis = 0; axis < before[i].shape().rank() && !apart; ++axis)
        apart = agree_behind_first(before[i], after[i], axis, batch);
      if (!apart) return false;
    }
    return changed;
  } catch (const Error&) {
    return false;
  }
}

/// True when the model runs on two samples that lie on these axes, with other open extents much larger.
bool runs_on_two_samples(const Graph& graph, std::span<const int> axes) {
  constexpr int64_t kOtherExtent = 32;  // enough for a few strides and windows
  try {
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < graph.inputs().size(); ++i) {
      const Value& value = graph.value(graph.inputs()[i]);
      Shape shape;
      for (const int64_t extent : value.declared_shape.value_or(std::vector<int64_t>{})) {
        const bool counts = static_cast<int>(shape.rank()) == axes[i];
        shape.push_back(extent > 0 ? extent : counts ? 2 : kOtherExtent);
      }
      Tensor zeros(value.declared_type.value_or(DataType::Float32), shape);
      std::fill_n(static_cast<std::byte*>(zeros.mutable_raw()), zeros.byte_count(), std::byte{0});
      inputs.push_back(std::move(zeros));
    }
    static_cast<void>(run_once(graph, inputs, RunnablePart(graph).ends()));
    return true;
  } catch (const Error&) {
    return false;
  }
}

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
    if (is_number && as_index(number) >= rank)
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
    if (named.axis != kNoBatchAxis && symbol_.empty()) symbol_ = input(named.input).symbols[as_index(named.axis)];
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
