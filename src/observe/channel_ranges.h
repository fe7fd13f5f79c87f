#pragma once

#include <map>
#include <vector>

#include "exec/executor.h"

namespace detent {

/// An observer of the smallest and largest element of each channel. One per worker; merged at the end in any order, so that threads
/// change nothing.
class ChannelRangeObserver : public Observer {
 public:
  /// Extremes of one value; 0 for a channel that was never anything finite.
  struct Extremes {
    std::vector<float> min, max;
  };

  /// axes  values to watch and the axis that counts channels of each.
  explicit ChannelRangeObserver(std::map<ValueId, int> axes) : axes_(std::move(axes)) {}

  /// Float, float16, bfloat16 and double tensors, in either layout; NaN and Inf are left out. Others are ignored.
  void observe(ValueId value, const Tensor& tensor) override;
  void merge(const ChannelRangeObserver& other);

  /// Of every value that was seen.
  [[nodiscard]] std::map<ValueId, Extremes> extremes() const;

 private:
  std::map<ValueId, int> axes_;
  std::map<ValueId, Extremes> extremes_;  // min above max where nothing was seen
};

}  // namespace detent
