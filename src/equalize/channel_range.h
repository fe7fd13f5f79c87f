#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "model/graph/graph.h"

namespace detent {

/// Smallest and largest element of each channel of a value over the samples; 0 for a channel that had no finite
/// element.
struct ChannelRange {
  std::vector<float> min, max;
  /// Returns the largest magnitude of a channel.
  [[nodiscard]] float amax(size_t channel) const { return std::max(std::abs(min[channel]), std::abs(max[channel])); }
};
using ChannelRanges = std::map<ValueId, ChannelRange>;

}  // namespace detent
