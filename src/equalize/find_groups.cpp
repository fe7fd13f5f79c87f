#include "equalize/find_groups.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "equalize/tie_channels.h"
#include "ops/traits.h"

namespace detent {

namespace {

/// Collects tied values into groups.
class GroupCollector {
 public:
  GroupCollector(const Graph& graph, const ValueShapes& shapes, ActivationFactors activations, BranchedValues branched)
      : graph_(graph), shapes_(shapes), branched_(branched), tied_(tie_channels(graph, shapes, activations)) {}

  std::vector<ChannelGroup> run() {
    std::map<size_t, size_t> index_of_root;  // group() of a value -> index in groups
    std::vector<ChannelGroup> groups;
    constexpr size_t kNone = std::numeric_limits<size_t>::max();
    std::vector<size_t> factor_of(tied_.ties.numbers(), kNone);  // by number: tied channels are in one group
    std::vector<ChannelMarks> group_marks;
    for (const Value& value : graph_.values()) {
      if (!tied_.ties.tracks(value.id)) continue;
      const auto [entry, fresh] = index_of_root.try_emplace(tied_.ties.group(value.id), groups.size());
      if (fresh) groups.emplace_back(), group_marks.emplace_back();
      ChannelGroup& group = groups[entry->second];
      const int axis = tied_.axes[value.id];
      ChannelGroup::Member member{
          value.id, axis, static_cast<int>(shapes_.at(value.id).rank()) - 1 - axis, {}, is_stored(value)};
      for (int64_t c = 0; c < tied_.ties.count(value.id); ++c) {
        const size_t number = tied_.ties.number(value.id, c);
        if (factor_of[number] == kNone) {
          factor_of[number] = group.fixed.size();
          group.fixed.push_back(tied_.ties.is_pinned(number));
        }
        member.factor_of.push_back(factor_of[number]);
      }
      group.members.push_back(std::move(member));
      add_marks(group_marks[entry->second], value.id);
      if (const float high = tied_.limits[value.id]; std::isfinite(high)) group.limits.push_back({value.id, high});
    }
    for (size_t g = 0; g < groups.size(); ++g) {
      groups[g].family = family_of(group_marks[g]);
      add_nodes(groups[g]);
    }
    std::erase_if(groups, [](const ChannelGroup& group) {
      return group.readers.empty() || group.fixed.size() < 2 || std::ranges::count(group.fixed, false) == 0;
    });
    for (const Value& value : graph_.values())
      if (auto group = branch_of(value)) groups.push_back(std::move(*group));
    return groups;
  }

 private:
  /// True when a reader is not part of the producer's kernel.
  [[nodiscard]] bool is_stored(const Value& value) const {
    return std::ranges::any_of(value.uses, [&](const Use& use) {
      const OpKind kind = traits_of(graph_, graph_.node(use.node)).kind;
      return kind != OpKind::ShapeOf && kind != OpKind::PRelu && !is_activation(kind);
    });
  }

  void add_marks(ChannelMarks& marks, ValueId value) const {
    const ChannelMarks& own = tied_.marks[value];
    marks.product |= own.product, marks.value |= own.value;
    marks.gate |= own.gate, marks.norm |= own.norm, marks.relu |= own.relu, marks.act |= own.act;
  }

  /// True for a value in which the scale or shift of a normalization, or a constant like it, has a number a channel.
  [[nodiscard]] bool is_normalized(ValueId value) const {
    if (tied_.marks[value].norm) return true;
    const MaybeNode producer = graph_.value(value).producer;
    if (!producer || graph_.node(*producer).inputs.size() != 2) return false;
    const Node& node = graph_.node(*producer);
    if (traits_of(graph_, node).kind != OpKind::Add) return false;
    for (const size_t slot : {size_t{0}, size_t{1}})
      if (graph_.constant(node.input(1 - slot)) && node.input(slot)) return is_normalized(*node.input(slot));
    return false;
  }

  /// True for a layer that may read a branch of its data.
  [[nodiscard]] bool reads_branches(const Use& use) const {
    if (use.slot != 0 || !is_rescalable(graph_, graph_.node(use.node))) return false;
    const OpKind kind = traits_of(graph_, graph_.node(use.node)).kind;
    return branched_ == BranchedValues::Normalized || kind == OpKind::MatMul || kind == OpKind::Gemm;
  }

  /// Returns the group of layers that read a branched value beside something that keeps all its channels as they are;
  /// nullopt where there is none.
  [[nodiscard]] std::optional<ChannelGroup> branch_of(const Value& value) {
    const int64_t channels = tied_.ties.count(value.id);
    if (channels < 2 || !value.producer) return std::nullopt;
    if (branched_ == BranchedValues::Normalized && !is_normalized(value.id)) return std::nullopt;
    for (int64_t c = 0; c < channels; ++c)
      if (!tied_.ties.is_pinned(tied_.ties.number(value.id, c))) return std::nullopt;
    const int axis = tied_.axes[value.id];
    ChannelGroup group{.family = EqualizeFamily::Branch, .fixed = std::vector<bool>(static_cast<size_t>(channels))};
    for (const Use& use : value.uses) {
      if (!reads_branches(use)) continue;
      if (channel_axis_read(graph_, graph_.node(use.node), shapes_.at(value.id)) != static_cast<size_t>(axis))
        return std::nullopt;
      group.readers.push_back(use);
    }
    if (group.readers.empty()) return std::nullopt;
    ChannelGroup::Member member{value.id, axis, static_cast<int>(shapes_.at(value.id).rank()) - 1 - axis,
                                std::vector<size_t>(group.fixed.size()), true};
    std::iota(member.factor_of.begin(), member.factor_of.end(), size_t{0});
    group.members.push_back(std::move(member));
    return group;
  }

  static EqualizeFamily family_of(const ChannelMarks& marks) {
    if (marks.act) return EqualizeFamily::Act;
    if (marks.gate) return EqualizeFamily::Gate;
    if (marks.norm) return EqualizeFamily::Norm;
    if (marks.product) return EqualizeFamily::Product;
    if (marks.value) return EqualizeFamily::Value;
    return marks.relu ? EqualizeFamily::Relu : EqualizeFamily::Linear;
  }

  void add_nodes(ChannelGroup& group) const {
    for (const ChannelGroup::Member& member : group.members) {
      const Value& value = graph_.value(member.value);
      if (value.producer && is_rescalable(graph_, graph_.node(*value.producer)))
        group.writers.push_back(*value.producer);
      if (tied_.marks[member.value].act) group.activations.push_back(*value.producer);
      for (const Use& use : value.uses)
        if (use.slot == 0 && is_rescalable(graph_, graph_.node(use.node))) group.readers.push_back(use);
      for (const Use& gate : tied_.gates) {
        const Node& product = graph_.node(gate.node);
        const bool around = product.output(0) == member.value || product.input(gate.slot == 0 ? 1 : 0) == member.value;
        if (around && std::ranges::find(group.gates, gate) == group.gates.end()) group.gates.push_back(gate);
      }
    }
  }

  const Graph& graph_;
  const ValueShapes& shapes_;
  BranchedValues branched_;
  TiedChannels tied_;
};

}  // namespace

const ChannelGroup::Member* ChannelGroup::find(ValueId value) const {
  const auto found = std::ranges::find(members, value, &Member::value);
  return found == members.end() ? nullptr : &*found;
}

std::vector<ChannelGroup> find_channel_groups(const Graph& graph, const ValueShapes& shapes,
                                              ActivationFactors activations, BranchedValues branched) {
  return GroupCollector(graph, shapes, activations, branched).run();
}

}  // namespace detent
