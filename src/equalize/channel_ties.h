#pragma once

#include <vector>

#include "model/graph/graph.h"

namespace detent {

/// Groups of channels that must be multiplied by the same factor: a union-find forest over (value, channel). A pinned
/// channel, and every channel tied to it, keeps the factor 1.
class ChannelTies {
 public:
  /// counts  channels of every value; 0 for a value that has none
  explicit ChannelTies(ValueMap<int64_t> counts);

  [[nodiscard]] bool tracks(MaybeValue value) const { return value && count(*value) > 0; }
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

}  // namespace detent
