#pragma once

#include <map>
#include <vector>

#include "model/graph/graph.h"

namespace detent {

/// Smallest and largest element of each channel of a value, over the samples seen; 0 for a channel that was never
/// anything finite.
struct ChannelRange {
  std::vector<float> min, max;
  /// Largest magnitude of a channel.
  [[nodiscard]] float amax(size_t channel) const;
};
using ChannelRanges = std::map<ValueId, ChannelRange>;

}  // namespace detent
