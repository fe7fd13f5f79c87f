#include "observe/channel_range_observer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/float_type.h"
#include "core/index.h"

namespace detent {

namespace {

/// Memory seen as outer x channels x inner.
struct ChannelView {
  int64_t outer = 1, channels = 1, inner = 1;

  ChannelView(const Tensor& tensor, size_t axis) {
    const Shape& shape = tensor.shape();
    channels = shape[axis];
    if (tensor.layout() == Layout::ChannelsLast && axis == 1) {
      outer = shape.element_count(0, 1) * shape.element_count(2, shape.rank());
      return;
    }
    outer = shape.element_count(0, axis);
    inner = shape.element_count(axis + 1, shape.rank());
  }
};

constexpr float kNothing = std::numeric_limits<float>::infinity();

/// Makes room for the channels; nothing was seen of new ones.
void grow(ChannelRange& seen, size_t channels) {
  seen.min.resize(channels, kNothing);
  seen.max.resize(channels, -kNothing);
}

void widen(float value, float& low, float& high) {
  if (!std::isfinite(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

}  // namespace

void ChannelRangeObserver::observe(ValueId value, const Tensor& tensor) {
  const auto watched = axes_.find(value);
  if (watched == axes_.end() || !is_floating_point(tensor.type())) return;
  const auto axis = as_index(watched->second);
  if (axis >= tensor.shape().rank()) return;
  Tensor floats = tensor.type() == DataType::Float32 ? tensor : cast(tensor, DataType::Float32);
  if (floats.layout() == Layout::ChannelsLast && axis != 1) floats = to_plain(floats);
  const ChannelView view(floats, axis);
  const auto channels = as_index(view.channels);
  ChannelRange& seen = seen_[value];
  grow(seen, channels);
  const float* next = floats.data<float>().data();
  for (int64_t o = 0; o < view.outer; ++o)
    for (size_t c = 0; c < channels; ++c)
      for (int64_t i = 0; i < view.inner; ++i) widen(*next++, seen.min[c], seen.max[c]);
}

void ChannelRangeObserver::merge(const ChannelRangeObserver& other) {
  for (const auto& [value, more] : other.seen_) {
    ChannelRange& seen = seen_[value];
    grow(seen, more.min.size());
    for (size_t c = 0; c < more.min.size(); ++c) {
      seen.min[c] = std::min(seen.min[c], more.min[c]);
      seen.max[c] = std::max(seen.max[c], more.max[c]);
    }
  }
}

ChannelRanges ChannelRangeObserver::ranges() const {
  ChannelRanges result = seen_;
  for (auto& [value, seen] : result)
    for (size_t c = 0; c < seen.min.size(); ++c)
      if (seen.min[c] > seen.max[c]) seen.min[c] = seen.max[c] = 0;
  return result;
}

}  // namespace detent
