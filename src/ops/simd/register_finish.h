#pragma once

#include <cstddef>
#include <limits>

namespace detent {

/// The last steps on an output element while it is still in a register: y = clamp(sum + bias[channel] + residual, low,
/// high). NaN stays NaN.
struct RegisterFinish {
  const float* bias = nullptr;      ///< one a channel; nullptr: none
  const float* residual = nullptr;  ///< lies in memory like the output; nullptr: none
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
};

/// The steps behind RegisterFinish, done while an output stretch is in cache.
class StretchFinish {
 public:
  virtual ~StretchFinish() = default;
  /// Finishes elements [begin, end) of the output. May be called from several threads, never twice for one element.
  virtual void finish(size_t begin, size_t end) const = 0;
};

}  // namespace detent
