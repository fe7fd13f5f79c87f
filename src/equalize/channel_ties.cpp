#include "equalize/channel_ties.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace detent {

ChannelTies::ChannelTies(ValueMap<int64_t> counts) : counts_(std::move(counts)), value_parent_(counts_.size()) {
  size_t channels = 0;
  for (const int64_t count : counts_) {
    first_.push_back(channels);
    channels += static_cast<size_t>(count);
  }
  channel_parent_.resize(channels);
  pinned_.resize(channels);
  std::iota(channel_parent_.begin(), channel_parent_.end(), size_t{0});
  std::iota(value_parent_.begin(), value_parent_.end(), size_t{0});
}

size_t ChannelTies::root(std::vector<size_t>& parents, size_t item) {
  while (parents[item] != item) item = parents[item] = parents[parents[item]];
  return item;
}

size_t ChannelTies::number(ValueId value, int64_t channel) {
  return root(channel_parent_, first_[value] + static_cast<size_t>(channel));
}

size_t ChannelTies::group(ValueId value) { return root(value_parent_, index_of(value)); }

void ChannelTies::tie(ValueId a, int64_t first_a, ValueId b, int64_t first_b, int64_t channels) {
  for (int64_t c = 0; c < channels; ++c) {
    const size_t one = number(a, first_a + c), other = number(b, first_b + c);
    const auto [low, high] = std::minmax(one, other);
    channel_parent_[high] = low;
    pinned_[low] = pinned_[low] || pinned_[high];
  }
  const size_t one = group(a), other = group(b);
  const auto [low, high] = std::minmax(one, other);
  value_parent_[high] = low;
}

void ChannelTies::pin(ValueId value) {
  if (!tracks(value)) return;
  for (int64_t c = 0; c < count(value); ++c) pin(value, c);
}

void ChannelTies::pin(ValueId value, int64_t channel) { pinned_[number(value, channel)] = true; }

}  // namespace detent
