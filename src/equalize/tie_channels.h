#pragma once

#include <vector>

#include "equalize/channel_axis.h"

namespace detent {

/// Groups of channels that must be multiplied by the same factor: a union-find forest over (value, channel). A pinned
/// channel, and every channel tied to it, keeps the factor 1.
class ChannelTies {
 public:
  /// counts  channels of every value; 0 for a value that has none
  explicit ChannelTies(ValueMap<int64_t> counts);

  [[nodiscard]] bool tracks(ValueId value) const { return value != kNoValue && count(value) > 0; }
  [[nodiscard]] int64_t count(ValueId value) const { return counts_[value]; }

  /// Gives channels first_a ... of `a` and first_b ... of `b` the same factors, one by one.
  void tie(ValueId a, int64_t first_a, ValueId b, int64_t first_b, int64_t channels);
  void pin(ValueId value);  ///< every channel; ignores values without channels
  void pin(ValueId value, int64_t channel);

  /// Returns the number that tied channels share, below numbers(). Their values are in one group().
  [[nodiscard]] size_t number(ValueId value, int64_t channel);
  [[nodiscard]] size_t numbers() const { return channel_parent_.size(); }
  [[nodiscard]] bool is_pinned(size_t number) const { return pinned_[number]; }
  /// Returns the number that values with tied channels share.
  [[nodiscard]] size_t group(ValueId value);

 private:
  static size_t root(std::vector<size_t>& parents, size_t item);

  ValueMap<int64_t> counts_;
  ValueMap<size_t> first_;
  std::vector<size_t> channel_parent_, value_parent_;
  std::vector<bool> pinned_;
};

/// Marks of the node that writes a value, as far as they decide the family of its group.
struct ChannelMarks {
  bool gate = false, norm = false, relu = false, act = false;
};

/// Says whether outputs of x * Sigmoid(x) and HardSwish may be multiplied, by a Mul that is added behind them.
enum class ActivationFactors : uint8_t { None, Behind };

/// The channels of a graph that share a factor or keep the factor 1, with the reasons.
struct TiedChannels {
  ValueMap<int> axes;  ///< axis that counts channels; -1: none
  ChannelTies ties;
  ValueMap<ChannelMarks> marks;
  ValueMap<float> limits;  ///< upper bound of a Clip that reads the value; infinity: none
  std::vector<Use> gates;  ///< products x * gate: node, slot of the gate
};

/// Visits every node once: ties the channels that the node passes on, and pins the other channels around it.
[[nodiscard]] TiedChannels tie_channels(const Graph& graph, const ValueShapes& shapes, ActivationFactors activations);

}  // namespace detent
