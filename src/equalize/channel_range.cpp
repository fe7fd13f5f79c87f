#include "equalize/channel_range.h"

#include <algorithm>
#include <cmath>

namespace detent {

float ChannelRange::amax(size_t channel) const { return std::max(std::abs(min[channel]), std::abs(max[channel])); }

}  // namespace detent
