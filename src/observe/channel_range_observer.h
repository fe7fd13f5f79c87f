#pragma once

#include <map>

#include "equalize/channel_range.h"
#include "exec/executor.h"

namespace detent {

/// An observer of the smallest and largest element of each channel. One per worker; merged at the end in any order, so
/// that threads change nothing.
class ChannelRangeObserver : public Observer {
 public:
  /// axes  values to watch and the axis that counts channels of each.
  explicit ChannelRangeObserver(std::map<ValueId, int> axes) : axes_(std::move(axes)) {}

  /// Observes float, float16, bfloat16 and double tensors, in either layout, without NaN and Inf; ignores other types.
  void observe(ValueId value, const Tensor& tensor) override;
  void merge(const ChannelRangeObserver& other);

  /// Returns the ranges of every value that was seen.
  [[nodiscard]] ChannelRanges ranges() const;

 private:
  std::map<ValueId, int> axes_;
  ChannelRanges seen_;  // min above max where nothing was seen
};

}  // namespace detent
