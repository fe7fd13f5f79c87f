//   wrong:   a --> Q/DQ(s) --+--> Conv                   right: s = t
//                a ----------+--> Concat --> Q/DQ(t) --> Conv
//   wrong:   x --> Q/DQ(s) --> MaxPool --> Q/DQ(t)       right: s = t
//
// An operator that only moves numbers can move codes if they mean the same on both sides; otherwise an engine computes
// them again.

#include <algorithm>
#include <cmath>
#include <ranges>

#include "lint/findings/findings.h"
#include "lint/view/pair_numbers.h"
#include "place/draft/flow.h"

namespace detent::findings {
namespace {

using Pairs = std::vector<const QuantizedOperand*>;

void append(Pairs& all, const Pairs& more) { all.insert(all.end(), more.begin(), more.end()); }

// Returns "'a' 0.5, 'b' 0.25": each value once.
std::string scales_text(const LintView& view, const Pairs& pairs) {
  std::set<std::string> seen;
  std::string text;
  for (const QuantizedOperand* pair : pairs) {
    const QdqNode& grid = view.grid(*pair);
    const Node& node = view.node(*view.graph().find_node(pair->node));
    const std::string name = view.value(*node.input(pair->slot)).name;
    if (grid.scales.empty() || !seen.insert(name).second) continue;
    text += (text.empty() ? "'" : ", '") + name + "' " + number_text(static_cast<double>(grid.scales.front()));
  }
  return text;
}

// True where one scale would leave the smallest numbers fewer than five of eight bits: they need their own (R5).
bool differ_in_size(const LintView& view, const Pairs& pairs) {
  constexpr float kMost = 8;
  float low = HUGE_VALF, high = 0;
  for (const QuantizedOperand* pair : pairs)
    for (const float scale : view.grid(*pair).scales) low = std::min(low, scale), high = std::max(high, scale);
  return low > 0 && high > kMost * low;
}

// True where the engine's rules keep the Concat float between pairs: its inputs are written once, as floats.
bool is_meant_float(const LintView& view, const Node& concat) {
  const auto has_pair = [&](int slot) { return view.wanted().is_pair(concat.id, slot); };
  const bool takes_pairs = std::ranges::any_of(view.facts().data_slots(concat.id), has_pair);
  const bool is_paired = !pairs_behind(view.wanted(), concat.output(0)).empty();  // also behind copies
  return !view.target().engine.requantizes_at_concat && !takes_pairs && is_paired;
}

// Returns every pair on the Concat's data: on its inputs, reached from one through commuting ops, and behind it.
Pairs members(const LintView& view, const Node& concat) {
  Pairs pairs;
  for (const ValueId value : pairs_behind(view.found(), concat.output(0))) append(pairs, view.pairs_on(value));
  for (const int slot : view.facts().data_slots(concat.id))
    for (const ValueId value : commuting_neighbours(view.facts(), view.found(), *concat.input(slot)))
      append(pairs, view.pairs_on(value));
  return pairs;
}

/// Tells whether pairs differ without listing them, so that a chain of Concats is visited once.
class Grids {
 public:
  explicit Grids(const LintView& view)
      : view_(view), behind_(view.graph().values().size()), beside_(behind_.size()), known_(behind_.size(), false) {
    const Graph& graph = view.graph();
    for (const Node& node : graph.nodes() | std::views::reverse)  // readers first
      for (const ValueId output : present(node.outputs)) look_behind(graph.value(output));
  }

  /// True when the pairs of members(view, concat) differ.
  [[nodiscard]] bool differ(const Node& concat) {
    Seen seen = behind_[*concat.output(0)];
    for (const int slot : view_.facts().data_slots(concat.id)) add(seen, beside(*concat.input(slot)));
    return seen.mixed;
  }

 private:
  struct Seen {
    const QuantizedOperand* pair = nullptr;  // one of them; nullptr: none
    bool mixed = false;
  };

  void add(Seen& seen, const Seen& more) const {
    if (!more.pair) return;
    seen.mixed = seen.mixed || more.mixed || (seen.pair && !same_grid(view_.grid(*seen.pair), view_.grid(*more.pair)));
    seen.pair = more.pair;
  }

  [[nodiscard]] Seen on(ValueId value) const {
    Seen seen;
    for (const QuantizedOperand* pair : view_.pairs_on(value)) add(seen, {pair, false});
    return seen;
  }

  void look_behind(const Value& value) {
    Seen seen = view_.found().has_pair(value.id) ? on(value.id) : Seen{};
    for (const Use& use : value.uses)
      for (const ValueId next : values_behind(view_.facts(), view_.found(), use)) add(seen, behind_[next]);
    behind_[value.id] = seen;
  }

  const Seen& beside(ValueId input) {
    if (!known_[input]) {
      const std::vector<ValueId> all = commuting_neighbours(view_.facts(), view_.found(), input);
      Seen seen;
      for (const ValueId value : all) add(seen, on(value));
      for (const ValueId value : all) {
        beside_[value] = seen;
        known_[value] = true;
      }
    }
    return beside_[input];
  }

  const LintView& view_;
  ValueMap<Seen> behind_, beside_;
  ValueMap<bool> known_;  // beside_ is known
};

}  // namespace

void concat_scales_differ(const LintView& view, FindingLog& log) {
  const ValueMap<bool> before_pairs = values_before_pairs(view.found());
  Grids grids(view);
  for (const Node& node : view.graph().nodes()) {
    if (!is_data_concat(view.facts(), view.found(), node.id) || !grids.differ(node)) continue;
    const std::vector<NodeId>& readers = view.layers_reading(node.output(0));
    const bool read = std::any_of(readers.begin(), readers.end(), [&](NodeId layer) { return view.weight(layer); });
    if (!before_pairs[*node.output(0)] && !read) continue;
    if (is_meant_float(view, node)) continue;
    const Pairs pairs = members(view, node);
    if (differ_in_size(view, pairs)) continue;
    log.add(node.name,
            "the pairs around it have different scales (" + scales_text(view, pairs) +
                "): its inputs are quantized again instead of being written side by side",
            "give them one scale, calibrated on their merged data (--policy concat=shared)", readers);
  }
}

void copy_scales_differ(const LintView& view, FindingLog& log) {
  for (const Node& node : view.graph().nodes()) {
    if (!commutes(view.facts(), view.found(), node.id)) continue;
    const QuantizedOperand* before = view.operand(node.id, view.facts().data_slots(node.id).front());
    if (!before) continue;
    Pairs pairs{before};
    const std::vector<NodeId>& layers = view.layers_reading(view.facts().data_input(node.id));
    for (const ValueId output : present(node.outputs)) append(pairs, view.pairs_on(output));
    // Codes of two widths stand for one range: a second pair behind the output's own converts them.
    const auto moves = [&](const QuantizedOperand* pair) {
      return pair == before || same_grid(view.grid(*before), view.first_grid(*pair));
    };
    if (std::ranges::all_of(pairs, moves)) continue;
    log.add(node.name,
            "the pairs before and behind it have different scales (" + scales_text(view, pairs) +
                "): it only moves data, but the numbers are computed again",
            "give both one scale, or leave the first away", layers);
  }
}

}  // namespace detent::findings
