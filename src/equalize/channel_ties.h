#pragma once

#include <vector>

#include "model/graph/graph.h"

namespace detent {

/// Which channels of which values must be multiplied by the same factor: a union-find forest over (value, channel).
/// Channels that must stay as they are are pinned, and everything tied to them with them.
class ChannelTies {
 public:
  /// counts  channels of every value 0 for values that have none.
  explicit ChannelTies(ValueMap<int64_t> counts);

  [[nodiscard]] bool tracks(ValueId value) const { return value != kNoValue && count(value) > 0; }
  [[nodiscard]] int64_t count(ValueId value) const { return counts_[value]; }

  /// Channels first_a ... of `a` and first_b ... of `b` get the same factors, one by one.
  void tie(ValueId a, int64_t first_a, ValueId b, int64_t first_b, int64_t channels);
  void pin(ValueId value);  ///< every channel; values without channels are ignored
  void pin(ValueId value, int64_t channel);

  /// Tied channels have the same number, below numbers(); their values then are of one group().
  [[nodiscard]] size_t number(ValueId value, int64_t channel);
  [[nodiscard]] size_t numbers() const { return channel_parent_.size(); }
  [[nodiscard]] bool is_pinned(size_t number) const { return pinned_[number]; }
  /// Values some of whose channels are tied have the same number.
  [[nodiscard]] size_t group(ValueId value);

 private:
  static size_t root(std::vector<size_t>& parents, size_t item);

  ValueMap<int64_t> counts_;
  ValueMap<size_t> first_;
  std::vector<size_t> channel_parent_, value_parent_;
  std::vector<bool> pinned_;
};

}  // namespace detent
