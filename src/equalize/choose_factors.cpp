#include "equalize/choose_factors.h"

#include <algorithm>
#include <cmath>
#include <ranges>

#include "equalize/weight_channels.h"

namespace detent {

namespace {

/// Factor by which values before a Clip stay below its bound: the samples seen are few.
constexpr double kClipMargin = 1.5;
/// Rounds over all groups when one scale serves a whole weight, so that each group sees the factors of the others.
/// Nagel et al. iterate until nothing changes.
constexpr int kRounds = 20;

/// Part of the largest channel below which a channel counts as empty: SiLU leaves 1e-20 of the numbers that it cuts
/// off.
constexpr double kNothing = 1e-6;

using List = std::vector<double>;

/// A group and what is known of each factor.
struct GroupState {
  const ChannelGroup* group = nullptr;
  List activation;  ///< largest magnitude, relative to that of the whole value
  std::vector<bool> fixed;
  List most;  ///< largest factor that a Clip allows
  List factor;
};

void raise(double& largest, double candidate) { largest = std::max(largest, candidate); }

/// Returns the factors of one value by channel.
List of_channels(const GroupState& state, const ChannelGroup::Member& member) {
  List factors;
  for (const size_t k : member.factor_of) factors.push_back(state.factor[k]);
  return factors;
}

/// Returns the median of the numbers above kNothing, the lower of two.
double middle_of(List values) {
  std::erase_if(values, [](double value) { return value <= kNothing; });
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Raises channels below the median to it: a channel that stayed small on the samples seen need not stay so.
void raise_to_middle(List& magnitudes) {
  const double middle = middle_of(magnitudes);
  for (double& magnitude : magnitudes)
    if (magnitude > kNothing) magnitude = std::max(magnitude, middle);
}

bool has_imbalance(const ChannelGroup& group, const ChannelRanges& ranges, double least) {
  return std::ranges::any_of(group.members, [&](const ChannelGroup::Member& member) {
    return member.stored && imbalance(ranges.at(member.value)) >= least;
  });
}

class FactorChooser {
 public:
  FactorChooser(const Graph& graph, const std::vector<ChannelGroup>& groups, const ChannelRanges& ranges,
                const FactorOptions& options)
      : graph_(graph), options_(options) {
    for (const ChannelGroup& group : groups) {
      if (options.least_imbalance > 0 && !has_imbalance(group, ranges, options.least_imbalance)) continue;
      states_.push_back(start(group, ranges));
      for (const ChannelGroup::Member& member : group.members) place_[member.value] = {states_.size() - 1, &member};
    }
  }

  Equalization choose() {
    for (int round = 0; round < (options_.per_tensor_weights ? kRounds : 1); ++round)
      for (GroupState& state : states_) choose_group(state);
    Equalization result;
    for (const GroupState& state : states_) add(state, result);
    std::ranges::sort(result.activations);
    return result;
  }

 private:
  struct Place {
    size_t state;
    const ChannelGroup::Member* member;
  };

  static GroupState start(const ChannelGroup& group, const ChannelRanges& ranges) {
    GroupState state{&group, List(group.fixed.size()), group.fixed, List(group.fixed.size(), kMostFactor),
                     List(group.fixed.size(), 1.0)};
    for (const ChannelGroup::Member& member : group.members) {
      if (!member.stored) continue;
      const ChannelRange& range = ranges.at(member.value);
      double whole = 0;
      for (size_t c = 0; c < member.factor_of.size(); ++c) raise(whole, static_cast<double>(range.amax(c)));
      for (size_t c = 0; c < member.factor_of.size() && whole > 0; ++c)
        raise(state.activation[member.factor_of[c]], static_cast<double>(range.amax(c)) / whole);
    }
    raise_to_middle(state.activation);
    for (const ChannelGroup::Limit& limit : group.limits) {
      const ChannelGroup::Member& member = *group.find(limit.value);
      const ChannelRange& range = ranges.at(limit.value);
      for (size_t c = 0; c < member.factor_of.size(); ++c) {
        const size_t k = member.factor_of[c];
        if (range.max[c] <= 0) continue;
        const double room = static_cast<double>(limit.high) / (kClipMargin * static_cast<double>(range.max[c]));
        state.most[k] = std::min(state.most[k], room);
        if (room < 1) state.fixed[k] = true;
      }
    }
    return state;
  }

  /// Returns the current factors of a value's channels; empty when the value is in no group.
  [[nodiscard]] List factors_of(ValueId value) const {
    const auto found = place_.find(value);
    return found == place_.end() ? List{} : of_channels(states_[found->second.state], *found->second.member);
  }

  /// Returns the largest magnitude by which weighted ops multiply each channel; 0 where none counts.
  [[nodiscard]] List read_magnitudes(const GroupState& state) const {
    List largest(state.fixed.size());
    for (const Use& use : state.group->readers) {
      const Node& node = graph_.node(use.node);
      if (!options_.per_tensor_weights && reads_one_channel(graph_, node)) continue;
      const List weights = options_.per_tensor_weights ? input_magnitudes(graph_, node, factors_of(*node.output(0)))
                                                       : relative_input_magnitudes(graph_, node);
      add_relative(weights, *state.group->find(*node.input(0)), largest);
    }
    return largest;
  }

  /// Returns the largest magnitude of the weights that write each channel, relative to that of the whole weight.
  [[nodiscard]] List written_magnitudes(const GroupState& state) const {
    List largest(state.fixed.size());
    for (const NodeId writer : state.group->writers) {
      const Node& node = graph_.node(writer);
      add_relative(output_magnitudes(graph_, node, factors_of(*node.input(0))), *state.group->find(*node.output(0)),
                   largest);
    }
    return largest;
  }

  static void add_relative(const List& weights, const ChannelGroup::Member& member, List& largest) {
    const double whole = *std::ranges::max_element(weights);
    for (size_t c = 0; c < member.factor_of.size() && whole > 0; ++c)
      raise(largest[member.factor_of[c]], weights[c] / whole);
  }

  struct Wishes {
    List logs;  ///< logarithms of the factors, up to a constant; NaN where nothing is known
    /// Bounds within which factors leave the ranges of whole weights and values unchanged, for one scale per weight.
    List lowest, highest;
  };

  /// Returns the factor that would suit every channel alone.
  [[nodiscard]] Wishes wishes(const GroupState& state) const {
    const List read = read_magnitudes(state);
    const List written = options_.per_tensor_weights ? written_magnitudes(state) : List(state.fixed.size());
    const bool weighed = std::ranges::any_of(read, [](double w) { return w > 0; });
    Wishes result;
    for (size_t k = 0; k < state.fixed.size(); ++k) {
      double alpha = weighed ? options_.alpha : 1.0;
      double made = state.activation[k] > kNothing ? std::log(state.activation[k]) : std::nan("");
      if (written[k] > 0) {  // the channel and the weights that write it should both become even
        made = alpha * made + (1 - alpha) * std::log(written[k]);
        alpha = 0.5;
      }
      const double wish = (weighed ? (1 - alpha) * std::log(read[k]) : 0.0) - alpha * made;
      result.logs.push_back(std::isfinite(wish) ? wish : std::nan(""));
      result.lowest.push_back(options_.per_tensor_weights ? std::min(1.0, read[k]) : 0.0);
      result.highest.push_back(options_.per_tensor_weights ? 1 / std::max({written[k], state.activation[k], 1e-9})
                                                           : kMostFactor);
    }
    return result;
  }

  void choose_group(GroupState& state) const {
    const Wishes wishes = this->wishes(state);
    const List& wish = wishes.logs;
    const bool anchored = std::ranges::any_of(std::views::iota(size_t{0}, wish.size()),
                                              [&](size_t k) { return state.fixed[k] && !std::isnan(wish[k]); });
    double sum = 0, count = 0;
    for (size_t k = 0; k < wish.size(); ++k) {
      if (std::isnan(wish[k]) || state.fixed[k] != anchored) continue;
      sum += wish[k];
      count += 1;
    }
    const double middle = count > 0 ? sum / count : 0;
    for (size_t k = 0; k < wish.size(); ++k) {
      if (state.fixed[k] || std::isnan(wish[k])) continue;
      double factor = std::clamp(std::exp(wish[k] - middle), 1 / kMostFactor, std::min(kMostFactor, state.most[k]));
      // Next to fixed channels no range may grow: the fixed channels would lose the precision that the others gain.
      if (anchored) factor = std::max(wishes.lowest[k], std::min(factor, wishes.highest[k]));
      if (options_.powers_of_two) {
        factor = std::exp2(std::round(std::log2(factor)));
        if (factor > state.most[k]) factor /= 2;
      }
      state.factor[k] = factor;
    }
  }

  void add(const GroupState& state, Equalization& result) const {
    if (std::ranges::all_of(state.factor, [](double factor) { return factor == 1; })) return;
    for (const ChannelGroup::Member& member : state.group->members) {
      const List factors = of_channels(state, member);
      EqualizedValue value{state.group->family, member.from_right, {}};
      for (const double factor : factors) value.factors.push_back(static_cast<float>(factor));
      result.values[graph_.value(member.value).name] = std::move(value);
    }
    for (const NodeId node : state.group->activations) result.activations.push_back(graph_.node(node).name);
    for (const Use& gate : state.group->gates) result.gates[graph_.node(gate.node).name] = gate.slot;
  }

  const Graph& graph_;
  const FactorOptions& options_;
  std::vector<GroupState> states_;
  std::map<ValueId, Place> place_;
};

}  // namespace

Equalization choose_factors(const Graph& graph, const std::vector<ChannelGroup>& groups, const ChannelRanges& ranges,
                            const FactorOptions& options) {
  return FactorChooser(graph, groups, ranges, options).choose();
}

std::map<ValueId, int> values_to_range(const std::vector<ChannelGroup>& groups) {
  std::map<ValueId, int> values;
  for (const ChannelGroup& group : groups) {
    for (const ChannelGroup::Member& member : group.members)
      if (member.stored) values[member.value] = member.axis;
    for (const ChannelGroup::Limit& limit : group.limits) values[limit.value] = group.find(limit.value)->axis;
  }
  return values;
}

double imbalance(const ChannelRange& range, const std::vector<float>& factors) {
  std::vector<double> magnitudes;
  for (size_t c = 0; c < range.max.size(); ++c) {
    const double magnitude =
        static_cast<double>(range.amax(c)) * (factors.empty() ? 1.0 : static_cast<double>(factors[c]));
    if (magnitude > 0) magnitudes.push_back(magnitude);
  }
  if (magnitudes.empty()) return 1;
  return *std::ranges::max_element(magnitudes) / middle_of(magnitudes);
}

}  // namespace detent
